"""Common given names of many languages: a capitalised word behind one of them is a surname.

Names that are words or products in this field are left out: Ada, Grace, Max, Mark, Will, Rust, Ruby, Jupiter.
"""

_NAMES = """
aaron abayomi abdelkrim abdul abdullah abdurrahman abel abena abhishek abigail abimbola abraham achim adaeze adalbert adam adan adaora adebayo adela
adelaide adele adelheid adenike aditi aditya adolfo adomas adrian adriana adunni afonso agata agathe agnes agnese agnieszka aguinaldo agustin ahmad
ahmed ahmet aidan aiko aileen aina ainhoa aino ainsley aisha aishwarya ajay akash akbar akemi akiko akin akira akosua alain alan alana alasdair
alban albert alberta alberte alberto albrecht aldo aleida alejandra alejandro alejo aleksander aleksandr aleksandra aleksi alena alessandra
alessandro alessia alex alexander alexandra alexandre alexei alexey alexia alexis alfonsina alfonso alfred alfredo ali aliaksandr alice alicia alina
aline alisher alison alistair aliya allan allen alma almudena alois alok alonso althaf althea alvaro amadou amanda amandine amara amarachi amaya
ambroise ambrose amelia amelie amin amina amir amira amit amita amparo amy ana anabel anahit anand ananya anastasia anatol anatole anatoly ancuta
anders andjela andoni andre andrea andreas andreea andrei andres andrew andrey andrzej aneta anett angela angelica angelika angelo angelos angus
anika aniket anil anisa anita anja anjali anke ann anna anna-lena annabelle annalena anne annegret anneke annelies anneliese annemarie annette annie
annika anniken anouk anselm ansgar anthony antje antoine anton antonella antonia antonin antonina antonio anuj anupam anuradha anurag anya aoife
apinya apolline araminta arash archie ariadna ariane arjun arlene armando armin arnaldo arnaud arne arno arnold arsen artem arthur arturo arun arvid
arvind asha ashish ashley ashok ashwin asif asim aslaug assane asta astrid asuka athanasios audrey augusto aurelia aurelie aurelien ausra avinash
axel ayaan ayako ayesha aylin ayumi azadeh azamat azra babak babatunde babette bahar balazs baltasar baptiste barbara barbro barnaby bart
bartholomew bartlomiej bartosz bastian batuhan bea beata beatrice beatrix beatriz begona behnam bekzod belen belinda bella ben benedetta benedict
benedikt bengt benita benito benjamin benoit berenice berit bernadette bernard bernd bernhard berta bertil bertrand bethany bettina bhavna bianca
bianka bilal biljana birgit birgitta birte bjarne bjorn björn blanca blandine blanka blazej bob bodo bogdan bogumil bohdan bojan boris borislav
bosko boubacar bozena brandon branimir branka branko bratislav brenda brendan brent brian bridget brigitta brigitte brita britta bronislaw bronwyn
bruna bruno bryan burak burkhard byron caglar caitlin calliope calvin camila camille candace candela caoimhe carina carl carla carlo carlos carlotta
carme carmela carmen carol carolin carolina caroline carsten casimir caspar catalina catarina caterina catherine cathrin cathrine cecile cecilia
cecilie cedric celeste celia celina celine cesar chandra chantal charlene charles charlie charlotte chen chiara chidi chidinma chiedu chiharu chika
chimamanda chinedu chiyo chloe chris christa christel christelle christian christiane christina christine christoph christophe christopher chukwu
ciara ciaran cillian cindy claire clara clarissa claudette claudia claudine claudio claus clelia clemens clementina clementine clive clyde colette
colin conceicao concepcion concetta connor conor constance constantin consuelo cordelia cordula corinna corinne cormac cornelia cornelis cornelius
cosima costel cristian cristiana cristiano cristina cristobal csaba csilla curtis cynthia cyril cyrus daan dagmar dagny daisuke dalia damaris damian
damien damir dan dana danica daniel daniela danielle danuta daphne darius dariusz darja darko darren daryl david davide dawid deborah declan deepa
deepak deirdre delphine denis denisa denise dennis derek desislava desmond detlef devika dhruv diana diane didem didier diego dieter dietmar
dietrich dilek dilip dimitra dimitri dimitris dina dinesh dirk divya djamila dmitri dmitry dmytro dolores domenico dominic dominik dominika
dominique donald donatella donna dorian doris dorota dorothea dorothy dorthe doug douglas draga dragan dragana duncan dunja dusan dushyant dymphna
ebba ebenezer eberhard eckhard edda edgar edina edith edmund edna eduard eduarda eduardo edvard edward edwin efosa efthymia egil egle egon eileen
eilidh einar eirik eitan ekaterina ekkehard ekrem elaine eleanor elena eleni eleonora elfriede eli eliana elias elif elina eliot elisa elisabet
elisabeth elise elisha eliza elizabeth elke ella ellen elliott elmar elmira elodie eloisa eloise els elsa elsbeth elsie elvira emanuel emanuela
emeka emel emer emerson emil emilia emiliano emilie emilio emily emine emma emmanuel emmanuelle emre endre enis enrico enrique enzo eoin erasmo
erhard eric erica erich erik erika erin erkan ernest ernestine ernesto ernst erwin esma esperanza esra esteban estefania estelle ester esther
estrella ethan etienne eugen eugene eugenia eulalia eun-ji eunice eva evan evangelia evelina evelyn evgeny evie ewa ewald ewan ezgi fabian fabiana
fabien fabienne fabio fabiola fabrice fabrizio faisal farah fariba farid faruk fatema fatemeh fatima fatma fausto federica federico fedor felicia
felicitas felicity felipe felix femke ferdinand ferenc fergus fernanda fernando ferran filip filippo filomena finley finn fiona firas flavia flavio
florence florent florentina florian floriane folasade fotini franca frances francesca francesco francis francisca francisco franck franco francois
francoise frank frankie frans franz franziska françois fraser fred freda freddie frederic frederick frederik frederique freya frida friederike
friedhelm friedrich fritz fumiko funda gabor gabriel gabriela gabriele gabrielle gael gaetano galina gamze ganesh gareth garrett gary gaspard gaston
gaurav gauthier gavin genevieve geoffrey georg george georges georgina gerald geraldine gerard gerardo gerd gerda gerhard gerlinde germaine gerry
gert gertrud gesine ghada gheorghe ghislaine giacomo giada giampiero gianluca gianna gideon gilbert gilles gillian gina ginevra giorgio giorgos
giovanna giovanni gisela giulia giuliana giuliano giuseppe giuseppina gizem gladys glenda glenn gloria gonzalo goran gordana gordon gottfried
gottlieb graciela grazia greg gregoire gregor gregory greta gretchen grzegorz guadalupe gudrun guido guillaume guillermo gulnara gulsen gundula
gunilla gunnar gunter gunther gustav gustavo guus gwen gwendolyn gwyneth gyorgy günter haakon habib hadiza hadley hakan hala haley halima halina
hamid hamza hana hanae hanif hank hanna hannah hannelore hannes hans hansjörg harald hari harish harold haroon harriet harry hartmut haruka haruki
haruto hasan hassan hatice hattie hauke heather hector hedda hedwig heidi heike heiko heiner heinrich heinz helen helena helene helga helge hella
helmut hendrik henning henri henrietta henriette henrik henrique henry herbert heribert herman hermann hermine hernan hilary hilda hildegard hillary
hillevi himanshu hirofumi hiroko hiromi hiroshi hiroto hitesh hitomi holger horst hortense howard hristo hubert hugh hugo humberto huseyin hussein
ian ibrahim ida ignacio ignatius igor ihsan iida ikram ilaria ildiko ilhan ilona ilse ilya imani imogen imran imre ines inga inge ingeborg ingo
ingrid inigo inmaculada inna ioana ioannis iolanda iram irena irene irfan irina irma irmgard isaac isabel isabela isabella isabelle isaiah isha
ishaan isidora ismael ismail isolde istvan itziar ivan ivana ivar iveta ivo ivona iwona izabela jaakko jacek jacinta jack jackie jacob jacopo
jacqueline jacques jadwiga jaime jakob jakub jamal james jamie jamila jan jana jane janek janet janice janina janine janis janne janos janusz jared
jarek jarmila jaroslav jasmin jasmina jasmine jasna jason jaume javier jayanti jean jean-baptiste jean-luc jean-pierre jeanette jeanne jeannine jeff
jeffrey jelena jelle jenna jennifer jenny jens jeremiah jeremy jerome jerry jerzy jesper jessica jesus jianhua jianwei jihoon jill jim jimena jimmy
jin jing jiri jitka joachim joakim joan joana joanna joanne joao joaquin jochen jodie joe joel joelle joern joey johan johann johanna johannes john
johnny jolanda jolanta jon jonas jonatan jonathan jordi jorg jorge jose josef josefa josefina joseph josephine josh joshua josie josip josé jovana
joyce joão juan juana juanita judit judith judy juergen juha julia julian juliana juliane julie julien juliet julieta juliette julio julius junko
jurgen jussara jussi justin justine justyna jutta jörg jürgen kaan kadir kai kaisa kaito kamal kamil kamila karel karen karim karin karina karl
karla karlheinz karol karolina karsten kasia kasimir kaspar katarina katarzyna kate katerina katharina katherine kathleen kathrin kathryn kathy
katie katja katrin kaveh kavita kazimierz kazuki kazuko kazuo keiko keisuke keith kelechi kelly kelvin kemal ken kenichi kenji kenneth kerem kerstin
kevin khadija khaled khalid kieran kim kimberly kiran kiril kirill kirk kirsi kirsten kirsty kjell klara klaus kleopatra koen kofi koji konrad
konstantin konstanze kornelia kosta kostas kourosh kristen kristian kristiina kristin kristina kristof krystyna krzysztof kseniya kumar kunal
kunigunde kurt kwabena kwame kwasi kwesi kyle kyoko kyra ladislav laila lakshmi lale lalita lambert lamia lamine lara larissa larry lars laszlo
latoya laura laure lauren laurence laurens laurent lauri laurie lavinia layla lea leah leandro leann leif leila lena leni lenka lennart lenora leo
leocadia leon leona leonard leonardo leonhard leonid leonie leonor leonora leonore leopold leopoldine leroy lesley leslie leszek leticia lewis leyla
liam lidia liesbeth lieselotte ligia lila lili lilian liliana lillian lilly lina linda lindiwe lindsay lindsey lionel lisa lisbeth lise liu liv
livia ljubica lloyd lois lola lorena lorenz lorenzo loretta lorna lorraine lothar lotta lotte louis louise luana lubos luc luca lucas lucia luciana
luciano lucie lucien lucinda lucio lucy lucyna ludek ludger ludmila ludovic ludovica ludwig luigi luis luisa luise luka lukas lukasz luke lutz luzia
lydia lyn lynn lyudmila maarit maarten maciej maddalena madeleine madina maelle maeve magda magdalena maggie magnus mahesh mahmoud maija maik maike
maite maja makoto malcolm malena malgorzata malik malin malte mamadou manabu mandy manfred manish manju manoj manon manuel manuela marc marcel
marcela marcelo marcia marcin marco marcos marcus marek maren margaret margareta margarete margarethe margarita margherita margit margot margret
margriet margrit marguerite maria mariam mariana marianne maribel marie marieke mariela marielle marija marijke marika marilyn marin marina mario
marion marisa marisol maristella marit marita marius mariusz marja marjorie marketa marko markus marlene marlies marlon marta martha marthe martin
martina martine marty martyna marvin mary maryam maryse marzena masako masashi massimo mateo mateus mateusz mathias mathieu mathilde matias matilda
matilde matteo matthew matthias matthieu matti maud maureen maurice mauricio maurits mauro maxime maximilian maya meera megan mehdi mehmet mei
melanie melinda melissa meltem meral mercedes meredith meret merete merle mervyn meryem mia micaela michael michaela michal micheal michel michele
michelle michiko midori mieke miguel mihaela mihai mihail miho mika mikael mike mikhail mikkel mikko mikolaj milan milena milica milos min mina
minako ming ming-hua minh minna mira miranda mireia mireille mirela miriam mirjam mirjana mirka mirko miroslav miroslava mitchell mitsuko mladen
moana mohamed mohammad mohammed mohan moira molly mona monica monika monique montserrat morag moritz morten moses mostafa mubarak muhammad muhammet
mukesh munira murat muriel murray mustafa myriam myrna nabil nadege nadezda nadezhda nadia nadine nadiya nadja naima najib nancy nanna naoki naoko
naomi naoto narendra nasrin nasser natalia natalie natalija natasha nathalie nathan nathaniel nazli nebojsa necla neha neil nelly nelson nenad nerea
nestor neven ngaire ngoc ngozi nguyen nhung nia niall niamh nicholas nick nicki nico nicola nicolas nicole nicoleta nicoletta niels nigel nihal
nikita niklas niko nikola nikolai nikolaos nikolas nikolaus nikolina nikos nils nilufer nina nino niraj nisha nitin njeri nkechi noa noah noel
noelia noemi nomvula noor nora norbert noriko norman nour noura nthabiseng nuno nurgul nuria oana obinna octavia octavio odalys oddvar odette odile
ofelia okan oksana ola olaf olaitan olav ole oleg oleksandr olena olga oliver olivia olivier olof olumide oluwadamilare oluwaseun omar omer onur
orhan oriol orla orlando orsola orsolya oscar oskar osman osvaldo oswald otakar otmar ottavio ottilie otto ottokar ousmane owen oyvind ozan paavo
pablo padma padraig paloma pamela panagiotis paola paolo paraskevi parisa pascal pascale pascual patrice patricia patricio patrick patrik patrizia
patryk paul paula pauliina paulina pauline paulo pavel pavlina pavol pawel pedro peggy pekka pelin penelope perrine peter petr petra petri petronela
petros petter phil philibert philip philipp philippa philippe philomena phoebe phuong phyllis pia pierangelo pierre pierrick pieter pietro pilar
piotr pirjo piroska polina pooja poul pradeep prakash pranav prasad prashant preeti prisca priscilla priya priyanka przemyslaw puneet qing quang
quentin quincy rachel radmila radoslav radu rafael rafaela rafal raffaele rafiq raghav rahel rahul raimonda raimund rainer raisa raj rajesh rajiv
rakel rakesh ralf ralitsa ralph ramesh ramiro ramlah ramon ramona randall randi ranjit ranka raphael raquel rashid rasmus ratna raul ravi ravindra
raymond raymonde rebecca rebeka rebekka regina reginald reijo reiko reiner reinhard reinhold rekha remi remy renata renate renaud rene renzo rené
reto reza rhiannon rhonda rhys ricarda ricardo riccarda riccardo richard rieke rienk riikka rikke risto rita ritchie ritu rob robbie robert roberta
roberto robin rocio roderick rodica rodney rodolfo rodrigo roel rogelio roger rohan rohit roisin rokas roksana roland rolando rolf romain roman
romana romano romy ronald ronan ronja ronny roopa rory rosa rosalia rosalie rosalind rosalyn roseanne rosemarie rosemary rosie rosina rossella
roswitha rowan roxana roxanne roy ruairi ruaridh ruben rudi rudiger rudolf rudy ruediger rufus rui rupert rushil ruslan russell rustam ruth ruzica
ryan ryoko ryota sabina sabine sabri sabrina sachiko sachin sadie sadiq saeed saeko safia safiya said saida sakura salim sally salma salome salvador
salvatore sam samantha samet samir samira samuel sandeep sandor sandra sandro sangeeta sanja sanjay sanna sanne santiago santosh saodat saoirse
saori sara sarah sarita sascha sashi saskia satoshi satu satya saul saule savvas scarlett sean sebastian sebastiano sebastien seda sefa seiji selena
selim selin selina selma semra senay serena serge sergei sergey sergio serhii serkan seth sevda severin severine shabnam shahid shakira shalini
shane shannon sharmila sharon shaun shauna sheela sheila shelley sherry shigeru shinji shinya shiori shirin shirley shiro shivani shlomo shoko
shreya shruti sibel siddharth sidney siegfried sigmund signe sigrid sigurd silas silje silke silvan silvana silvia silvio simeon simon simona simone
simonetta sindre sinead siobhan siri siru sissel siti siw sjoerd slavica slavko slawomir slobodan snehal snezana sofia sofie soledad solene solveig
somchai sonali sonia sonja sophia sophie soren sorin soumya spyros srdjan srecko sridhar srinivas stacey stacy staffan stan stanislav stanislaw
stanka stanley stavros stavroula stefan stefanie stefano steffen stela stella stellan stephan stephane stephania stephanie stephen steve steven
stian stig stijn stina stuart suat subhash sudarshan sudha sudhir suleiman sumaya sumiko sumit sunil sunita sunniva suparna suraj suresh susan
susana susanne sushma suzan suzana suzanne suzie svante sven svend svetlana swati swetlana sybille sylvain sylvester sylvia sylvie syuzanna szilvia
szymon sören tadashi tadej tadeusz tahir taisiya taiwo takako takashi takeshi takumi takuya tamar tamara tamas tamaz tamsin tancredi tania tanisha
tanja tanmay tanvi tanya tara tarek tariq tarja tarquin tarun tasos tatiana tatjana tatsuo tatsuya tayfun ted teemu temitope temuulen teodor teodora
terence teresa tereza terhi terje terrence terry tessa teun tevfik thabo thaddeus thais thandeka thandiwe thea thekla thelma theo theodor theodora
theodore theophile theresa thiago thibaud thibault thierry thijs thilo thom thomas thomasina thomasz thora thorben thorbjorn thorstein thorsten
tiago tiffany tiina tilda till tilman tilo tim timea timo timon timothy tina tiziana tiziano tjasa tobi tobias tobin todd tom tomas tomaso tomasso
tomasz tomislav tommaso tommy tomoe tomoko tomoya toni tony torben tore toril torsten toru toshiko tova toyin tracy travis trevor tricia trine
trinidad trond truls trygve tsubasa tugba tugce tullio tuncay tuomas tuomo tuula tyler tyrone tzvetan udo ugo ulas ulf uli ulises ulla ulrich ulrika
ulrike umar umberto umut uriel uros urs ursel ursula urszula usha usman ute uwe vaclav vahid valdemar valentin valentina valentyna valeria valerie
valerio vanessa vanja varun vasco vasile vasili vasiliki vasilis vasily vassilis veera veit veli velko velma venkat venkatesh vera verena vernon
veronica veronika veronique vesa vesna vibeke vibha vicente vicki vicky victor victoria vidar vieno viet vigdis vijay vikas vikram viktor viktoria
vilde vilhelm ville vilma vinay vincent vincenza vincenzo vineet viola violeta viorel viorica viraj virginia virginie vishal vitor vittorio vitus
vivek viveka vivian viviana viviane vivien vivienne vlad vladimir vladislav vlasta vojislav vojtech volker vyacheslav wafa walburga waldemar waleed
walter waltraud wanda wang wanjiku wanjiru warren wayne wei wenche wendel wendelin wendy werner weronika wiebke wieland wieslaw wiktor wilbur
wilfried wilhelm wilhelmina willem willemijn william wilma winfried winifred winston wioletta wiremu wissam wladyslaw wojciech wolfgang wolfram wout
wouter xander xavier xiadani xiao xiaoming ximena xinyi yaara yael yahya yamina yan yann yannick yaprak yara yarik yaroslav yasemin yash yasir
yasmin yasmine yasser yasuhiro yasuko yavuz yelena yevgeny yewande yiannis yifan yifei yigit ying ylva yoko yolanda yolande yoram yordan yosef
yoshiko yoshiro younes youssef yui yuka yuki yukiko yulia yuliya yumi yuri yuriko yusuf yuto yvain yves yvette yvonne zachary zadie zahir zahra
zainab zaira zanele zawadi zbigniew zbynek zdenek zdenka zehra zelda zeliha zenon zeynep zhang zhanna ziad ziga zigmund zineb zita zivile zlata
zlatko zoe zofia zoltan zora zoran zsofia zsuzsanna zuleyha zulfikar zuzana zuzanna zygmunt
"""
GIVEN_NAMES = frozenset(_NAMES.split())
