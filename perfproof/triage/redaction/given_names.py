"""Common given names of many languages: a capitalised word behind one of them is a surname.

Names that are words or products in this field are left out: Ada, Grace, Max, Mark, Will, Rust, Ruby, Jupiter.
"""

_NAMES = """
aaron abdul abdullah abel abena abhishek abigail abraham achim adaeze adalbert adam adan adebayo adela adelaide adele adelheid adenike aditi aditya
adolfo adrian adriana afonso agata agathe agnes agnieszka agustin ahmad ahmed ahmet aidan aiko aileen aina ainhoa aino aisha aishwarya ajay akash
akemi akiko akin akira akosua alain alan alana alasdair albert alberta alberto albrecht aldo alejandra alejandro aleksander aleksandr aleksandra
aleksi alena alessandra alessandro alessia alex alexander alexandra alexandre alexei alexey alexia alexis alfonso alfred alfredo ali alice alicia
alina aline alison alistair allan allen alma alois alok alonso althea alvaro amadou amanda amandine amara amaya ambrose amelia amelie amin amina
amir amira amit amita amparo amy ana anabel anand ananya anastasia anatoly anders andre andrea andreas andreea andrei andres andrew andrey andrzej
aneta angela angelica angelika angelo angus anika aniket anil anita anja anjali anke ann anna anna-lena annalena anne anneke annelies anneliese
annemarie annette annie annika anouk anselm ansgar anthony antje antoine anton antonella antonia antonin antonio anuj anupam anurag anya aoife
apolline arash archie ariadna ariane arjun arlene armando armin arnaud arne arnold arthur arturo arun arvid arvind asha ashish ashley ashok ashwin
asim asta astrid audrey aurelia aurelie aurelien axel ayaan ayako ayesha ayumi azra babette balazs baptiste barbara barnaby bart bartholomew bartosz
bastian bea beata beatrice beatrix beatriz belinda bella ben benedetta benedict benedikt bengt benito benjamin benoit berit bernard bernd berta
bertil bertrand bethany bettina bhavna bianca bianka bilal birgit birgitta birte bjorn björn blanca blazej bob bodo bogdan bohdan boris borislav
boubacar brandon branka bratislav brenda brendan brent brian bridget brigitta brigitte britta bronislaw bronwyn bruna bruno bryan burak burkhard
byron caitlin calliope calvin camila camille candace caoimhe carina carl carla carlo carlos carlotta carmela carmen carol carolin caroline carsten
casimir caspar catalina catarina caterina catherine cathrin cecile cecilia cedric celia celine cesar chandra chantal charlene charles charlie
charlotte chen chiara chidi chiedu chika chimamanda chinedu chloe chris christa christel christian christiane christina christine christoph
christophe christopher chukwu ciara ciaran cillian cindy claire clara clarissa claudia claudio claus clemens clementine clive clyde colette colin
concepcion connor conor constance constantin consuelo cordelia cordula corinna corinne cormac cornelia cornelius cosima cristian cristiano cristina
cristobal curtis cynthia cyril cyrus daan dagmar dagny dalia damaris damian damien damir dan dana daniel daniela danielle danuta daphne darius
dariusz darko darren daryl david davide dawid deborah declan deepa deepak deirdre delphine denis denise dennis derek desmond detlef dhruv diana
diane didier diego dieter dietmar dietrich dilip dimitri dimitris dina dinesh dirk divya dmitri dmitry dmytro dolores domenico dominic dominik
dominique donald donna dorian doris dorota dorothea dorothy dorthe doug douglas dragan dragana duncan dusan dymphna ebba eberhard eckhard edda edgar
edith edmund edna eduard eduardo edward edwin efosa egon eileen eilidh einar eitan ekaterina ekkehard elaine eleanor elena eleni eleonora elfriede
eli eliana elias elif eliot elisa elisabeth elise eliza elizabeth elke ella ellen elliott elmar elodie eloise els elsa elsbeth elsie elvira emanuel
emeka emer emerson emil emilia emiliano emilie emilio emily emine emma emmanuel emmanuelle emre enrico enrique enzo eoin erhard eric erica erich
erik erika erin ernest ernesto ernst erwin esperanza esra esteban estelle ester esther estrella ethan etienne eugen eugene eugenia eun-ji eunice eva
evan evelyn evgeny evie ewa ewald ewan fabian fabien fabio fabrice fabrizio farah farid faruk fatema fatima fatma fausto federica federico felicia
felicitas felicity felipe felix femke ferdinand fergus fernanda fernando filip filippo filomena finley finn fiona flavia flavio florence florent
florian floriane fotini franca frances francesca francesco francis francisca francisco franck franco francois francoise frank frankie frans franz
franziska françois fraser fred freda freddie frederic frederick frederik freya frida friederike friedhelm friedrich fritz fumiko gabor gabriel
gabriela gabriele gabrielle gael gaetano galina ganesh gareth garrett gary gaspard gaston gaurav gavin genevieve geoffrey georg george georges
georgina gerald geraldine gerard gerardo gerd gerda gerhard gerlinde germaine gerry gert gertrud gheorghe ghislaine giacomo giada giampiero gianluca
gianna gideon gilbert gilles gillian gina giorgio giorgos giovanna giovanni gisela giulia giuliano giuseppe giuseppina gladys glenda glenn gloria
goran gordon gottfried gottlieb grazia greg gregoire gregor gregory greta gretchen grzegorz guadalupe gudrun guido guillaume guillermo gundula
gunnar gunter gunther gustav gustavo guus gwen gwendolyn gwyneth günter haakon habib hadley hakan hala haley halina hamid hamza hana hanae hanif
hank hanna hannah hannelore hannes hans hansjörg harald hari harish harold haroon harriet harry hartmut haruki haruto hasan hassan hatice hattie
hauke heather hector hedda hedwig heidi heike heiko heiner heinrich heinz helen helena helene helga helge hella helmut hendrik henning henri
henriette henrik henrique henry herbert heribert herman hermann hermine hernan hilary hilda hildegard hillary himanshu hiroko hiromi hiroshi hiroto
hitesh holger horst hortense howard hubert hugh hugo humberto huseyin hussein ian ibrahim ida ignacio ignatius igor iida ilaria ildiko ilona ilse
ilya imani imogen imran ines inga inge ingeborg ingo ingrid inigo inna ioana ioannis iram irena irene irina irma irmgard isaac isabel isabela
isabella isabelle isaiah isha ishaan isidora ismael ismail isolde istvan ivan ivana ivar ivo ivona iwona izabela jaakko jacek jacinta jack jackie
jacob jacopo jacqueline jacques jadwiga jaime jakob jakub jamal james jamie jan jana jane janet janice janina janine janis janne janos janusz jared
jarek jarmila jaroslav jasmin jasmine jason javier jean jean-baptiste jean-luc jean-pierre jeanette jeanne jeannine jeff jeffrey jelena jelle jenna
jennifer jenny jens jeremiah jeremy jerome jerry jessica jesus jianhua jianwei jill jim jimena jimmy jin jing jiri jitka joachim joakim joan joana
joanna joanne joao joaquin jochen jodie joe joel joelle joern joey johan johann johanna johannes john johnny jolanda jolanta jon jonas jonatan
jonathan jordi jorg jorge jose josef josefa josefina joseph josephine josh joshua josie josip josé joyce joão juan juana juanita judit judith judy
juergen julia julian juliana juliane julie julien juliet juliette julio julius junko jurgen jussi justin justine justyna jutta jörg jürgen kai kaisa
kaito kamal kamil kamila karel karen karim karin karina karl karla karlheinz karol karolina karsten kasia kasimir kaspar katarina katarzyna kate
katharina katherine kathleen kathrin kathryn kathy katie katja katrin kavita kazimierz kazuki kazuko kazuo keiko keisuke keith kelechi kelly kelvin
kemal ken kenichi kenji kenneth kerstin kevin khadija khaled khalid kieran kim kimberly kiran kiril kirill kirk kirsi kirsten kirsty kjell klara
klaus kleopatra koen kofi koji konrad konstantin konstanze kornelia kosta kostas kourosh kristen kristian kristiina kristin kristina kristof
krystyna krzysztof kseniya kumar kunal kurt kwabena kwame kwesi kyle kyoko kyra ladislav laila lakshmi lalita lambert lamia lara larissa larry lars
laszlo latoya laura laure lauren laurence laurens laurent lauri laurie lavinia lea leah leandro leann leif leila lena leni lennart lenora leo leon
leona leonard leonardo leonhard leonid leonie leonor leonore leopold leopoldine leroy lesley leslie leszek leticia lewis leyla liam lidia liesbeth
lieselotte lila lili lilian liliana lillian lilly lina linda lindsay lindsey lionel lisa lisbeth lise liu liv livia ljubica lloyd lois lola lorena
lorenz lorenzo loretta lorna lorraine lothar lotta lotte louis louise luana luc luca lucas lucia luciana luciano lucie lucien lucinda lucio lucy
ludek ludger ludmila ludovic ludwig luigi luis luisa luise luka lukas lukasz luke lutz luzia lydia lyn lynn lyudmila maarit maarten maciej maeve
magda magdalena maggie magnus mahesh mahmoud maik maike maja makoto malcolm malena malgorzata malik malte mamadou manabu mandy manfred manish manju
manoj manon manuel manuela marc marcel marcela marcelo marcia marcin marco marcos marcus marek maren margaret margareta margarete margarethe
margarita margit margot margret margrit marguerite maria mariam mariana marianne maribel marie marieke mariela marielle marija marika marilyn marin
marina mario marion marisa marisol maristella marit marius mariusz marja marjorie marketa marko markus marlene marlies marlon marta martha marthe
martin martina martine marty martyna marvin mary maryam maryse marzena masako masashi massimo mateo mateus mateusz mathias mathieu mathilde matias
matilda matilde matteo matthew matthias matthieu matti maud maureen maurice mauricio maurits mauro maxime maximilian maya meera megan mehdi mehmet
mei melanie melinda melissa meredith meret merle mervyn meryem mia micaela michael michaela michal micheal michel michele michelle michiko midori
mieke miguel mihai mihail mika mikael mike mikhail mikkel mikko mikolaj milan milena milica milos min minako ming ming-hua minna mira miranda mireia
mireille mirela miriam mirjam mirka mirko miroslav miroslava mitchell mitsuko mladen moana mohamed mohammad mohammed mohan moira molly mona monica
monika monique montserrat morag moritz morten moses mostafa muhammad mukesh murat muriel murray mustafa myriam myrna nabil nadege nadezhda nadia
nadine nadja nancy naoki naoko naomi naoto narendra nasrin natalia natalie natasha nathalie nathan nathaniel neha neil nelly nelson nerea nestor
neven nia niall nicholas nick nicki nico nicola nicolas nicole nicoletta niels nigel nihal nikita niklas niko nikola nikolai nikolaos nikolas
nikolaus nikos nils nina nino niraj nisha nitin njeri noa noah noel noelia noemi noor nora norbert noriko norman nour nuno nuria oana obinna octavia
octavio oddvar odette odile oksana ola olaf olav ole oleg oleksandr olena olga oliver olivia olivier olof olumide oluwaseun omar onur orla orlando
orsolya oscar oskar osman osvaldo oswald otmar ottavio ottilie otto owen ozan pablo padraig pamela paola paolo parisa pascal pascale patrice
patricia patricio patrick patrik patrizia patryk paul paula paulina pauline paulo pavel pavol pawel pedro peggy pekka penelope perrine peter petr
petra petri petros petter phil philip philipp philippa philippe phoebe phyllis pia pierre pierrick pieter pietro pilar piotr pirjo pooja poul
pradeep prakash pranav prasad prashant preeti priscilla priya priyanka przemyslaw qing quentin quincy rachel rafael rafaela rafal raffaele raghav
rahel rahul raimund rainer raisa raj rajesh rajiv rakesh ralf ralph ramesh ramon ramona randall randi ranjit raphael raquel rashid rasmus raul ravi
ravindra raymond rebecca rebekka regina reginald reiko reiner reinhard reinhold remi remy renata renate renaud rene renzo rené reza rhiannon rhonda
rhys ricarda ricardo riccarda riccardo richard rieke riikka rikke rita ritchie ritu rob robbie robert roberta roberto robin rocio roderick rodney
rodolfo rodrigo roel rogelio roger rohan rohit roisin rokas roland rolando rolf romain roman romana romano ronald ronan ronja ronny roopa rory rosa
rosalia rosalie rosalind rosalyn roseanne rosemarie rosemary rosie rosina roswitha rowan roxana roxanne roy ruairi ruaridh ruben rudi rudiger rudolf
rudy ruediger rufus rui rupert rushil russell rustam ruth ryan ryoko ryota sabina sabine sabrina sachiko sachin sadie saeed safia said sakura salim
sally salma salome salvador salvatore sam samantha samir samira samuel sandeep sandra sandro sanjay sanna sanne santiago santosh saoirse sara sarah
sarita sascha sashi saskia satoshi satya saul scarlett sean sebastian sebastiano sebastien seiji selena selim selina selma serena serge sergei
sergey sergio serhii seth severin severine shakira shane shannon sharon shaun shauna sheela sheila shelley sherry shigeru shinji shirin shirley
shiro shivani shreya shruti siddharth sidney siegfried sigmund signe sigrid silas silke silvan silvana silvia silvio simeon simon simona simone
simonetta sinead siobhan siri siru sissel siw sjoerd slavica slawomir slobodan snezana sofia sofie soledad solene solveig sonia sonja sophia sophie
soren sorin srdjan sridhar srinivas stacey stacy staffan stan stanislav stanislaw stanley stavros stefan stefanie stefano steffen stella stellan
stephan stephane stephania stephanie stephen steve steven stian stig stijn stina stuart subhash sudha sudhir suleiman sumiko sumit sunil sunita
suraj suresh susan susana susanne suzana suzanne suzie svante sven svend svetlana swati swetlana sybille sylvain sylvester sylvia sylvie syuzanna
szymon sören tadashi tadeusz taiwo takashi takeshi takumi tamar tamara tamas tamsin tancredi tania tanisha tanja tanvi tanya tara tariq tarja
tarquin tarun tasos tatiana tatjana tatsuya ted teemu temitope teodor teodora terence teresa terje terrence terry tessa teun thabo thaddeus thandiwe
thea thekla thelma theo theodor theodora theodore theophile theresa thiago thibault thierry thijs thilo thom thomas thomasina thora thorben
thorstein thorsten tiago tiffany tilda till tilman tilo tim timea timo timon timothy tina tiziana tobi tobias tobin todd tom tomas tomaso tomasso
tomasz tomislav tommaso tommy tomoko tomoya toni tony torben tore torsten toru toshiko tova toyin tracy travis trevor tricia trine truls trygve
tsubasa tugba tullio tuomas tuula tyler tyrone tzvetan udo ugo ulf uli ulla ulrich ulrika ulrike umar umberto uriel urs ursula urszula usha usman
ute uwe vaclav valentin valentina valentyna valeria valerie valerio vanessa vasco vasile vasili vasilis vasily veit velma venkat vera verena vernon
veronica veronika veronique vesna vibeke vicente vicki vicky victor victoria vidar vijay vikas vikram viktor viktoria vilhelm ville vilma vinay
vincent vincenzo vineet viola violeta viorel viraj virginia virginie vishal vitor vittorio vitus vivek viveka vivian viviana viviane vivien vlad
vladimir vladislav vojtech volker vyacheslav walburga waldemar waleed walter waltraud wanda wang wanjiru warren wayne wei wenche wendel wendy werner
weronika wiebke wieland wieslaw wiktor wilbur wilfried wilhelm wilhelmina willem willemijn william winfried winifred winston wiremu wladyslaw
wojciech wolfgang wolfram wouter xander xavier xiao ximena xinyi yael yahya yan yann yannick yara yaroslav yasemin yash yasmin yasmine yasser yasuko
yelena yevgeny yewande yiannis yifan yifei yigit ying yoko yolanda yolande yoram yosef yoshiko yui yuka yuki yukiko yulia yuliya yumi yuri yuriko
yusuf yuto yves yvette yvonne zachary zadie zahra zbigniew zdenek zehra zelda zeynep zhang ziad zigmund zineb zita zlata zlatko zoe zofia zoltan
zora zoran zsofia zuzana zuzanna zygmunt
"""
GIVEN_NAMES = frozenset(_NAMES.split())
