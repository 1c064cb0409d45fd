"""Common given names of many languages: a capitalised word behind one of them is a surname.

Names that are words or products in this field are left out: Ada, Grace, Max, Mark, Will, Rust, Ruby, Jupiter.
"""

_NAMES = """
aaron abdul abdullah abigail adam adele adrian adriana agnes agnieszka ahmed aisha alan albert alberto alejandra alejandro aleksander
aleksandra alessandro alex alexander alexandra alexandre alexei alexey alfred ali alice alicia aline alison alok alessia amanda amara
amelia amelie amina amir amit amy ana anastasia anders andrea andreas andrei andrew andrey angela angelica anil anita anja anjali
anke ann anna annalena anne anneke annette annie antje anthony anton antonia antonio anya aoife arjun arnaud arne arthur arturo
arun asha ashley astrid audrey aurelie axel ayesha barbara bart bartosz beata beatrice beatriz ben benedikt benjamin benoit bernard
bernd bethany bianca bilal birgit bjorn björn bob bogdan boris brandon brenda brian bridget britta bruno camila camille carl carla
carlo carlos carmen carol caroline catalina catarina catherine cecilia celine chantal charles charlie charlotte chen chiara chloe
chris christian christina christine christoph christophe christopher ciaran cindy claire clara claudia claudio colin cristina cynthia
daan damien dan daniel daniela danielle dariusz david deborah declan deepak denis dennis diana diego dieter dietmar dimitri dinesh
dirk dmitri dmitry dominik dominique donald donna dorothea dorothy doris douglas edith eduardo edward edwin eileen ekaterina elaine
elena eleanor eli elias elif elisa elisabeth elise elizabeth ella ellen els elsa emeka emily emine emma emmanuel enrique eric erica
erik erika ernst esra esther ethan eugene eva evelyn fabian fabio fatima fatma federico felicia felix femke fernanda fernando filip
fiona florence florian frances francesca francesco francisco francois françois frank frans franziska fred frederic frederik friedrich
fritz gabriel gabriela gareth gary geoffrey george georg gerald gerard gerd gerhard giacomo gilles gina giorgio giovanni giulia
giuseppe gloria gordon greg gregory greta guillaume gunter günter gustav gustavo guido hana hanna hannah hannes hans harald harold
harry hasan hassan heather hector heidi heike heinrich heinz helen helena helene helga helmut hendrik henri henrik henry herbert
hermann hilda holger hugo hussein ian ibrahim ida igor ilona ilse imran ines ingo ingrid irena irene irina isaac isabel isabella
isabelle ivan ivana jack jacob jacques jakob jakub james jan jana jane janet janina janine jasmin jason javier jean jeff jeffrey
jelena jennifer jens jeremy jerome jessica jim jin jing joachim joan joana joanna joao joão jochen joe joel johan johann johanna
johannes john jonas jonathan jordi jorge jörg jose josé josef joseph josephine joshua juan juana judith julia julian juliana julie
julien jurgen jürgen justin justyna kai kamal karen karim karin karl karolina katarina katarzyna kate katharina katherine kathleen
kathrin katrin katja kavita keith kelly ken kenneth kevin khalid kim kirsten klaus konrad kristin kristina krzysztof kumar kurt
lakshmi lara larry lars laura lauren laurent lea leah leila lena leo leon leonardo leonie leszek li liam lili lina linda lisa liu
lisbeth lorenzo louis louise luc luca lucas lucia lucie lucy ludwig luigi luis luisa lukas lukasz lydia lynn maciej magdalena magnus
mahmoud maja malgorzata malte manfred manuel manuela marc marcel marcin marco marcos marcus margaret margarita maria marie marina
mario marion marisa marius markus marlene marta martha martin martina mary maryam marzena mathias mathieu mathilde matteo matthew
matthias matthieu maureen maurice mauro maximilian megan mehmet mei melanie melissa mia michael michaela michal michel michele
michelle miguel mika mikael mike mikhail milan milena min ming miriam mohamed mohammad mohammed monica monika monique muhammad murat
mustafa nadia nadine nancy naomi natalia natalie natasha nathalie nathan neha nicholas nick nicola nicolas nicole niels nikita nikolai
nikolaus nils nina nino noah noor nora norbert norman oksana ola olaf ole oleg olga oliver olivia olivier omar oscar oskar otto pablo
paola paolo pascal patricia patrick patrik paul paula pauline pavel pawel pedro peter petra philip philipp philippe pierre pietro
piotr pooja prakash priya rachel rafael rahul rainer raj rajesh ralf ralph ramesh ramon raphael rashid raquel ravi raymond rebecca
regina reinhard renata renate rene rené ricardo riccardo richard rita rob robert roberto robin rodrigo roger roland rolf roman romain
ronald rosa rosalind rosemary roy rudolf rui rupert russell ruth ryan sabine sabrina saeed said salma sally salvatore sam samantha
samir samuel sandeep sandra sanjay santiago sara sarah sascha sean sebastian selma serge sergei sergey sergio shane sharon sheila
shirley siegfried sigrid silke silvia simon simona simone siobhan sofia sonia sonja sophia sophie stacey stanislav stefan stefanie
stefano stella stephan stephane stephanie stephen steve steven stuart sudhir sunil suresh susan susana susanne suzanne sven svetlana
sylvia sylvie tamara tanja tania tara tatiana ted teresa terry thomas theo theodor theresa thierry thijs thorsten tiago till tim timo
timothy tina tobias todd tom tomas tomasz toni tony torsten tracy udo ulf uli ulrich ulrike urs ursula ute uwe valentina valerie vanessa
vera veronica veronika vicente victor victoria vijay viktor vincent vincenzo viola virginia vittorio vivian vladimir volker walter
wang waltraud wei wendy werner wilhelm william willem wojciech wolfgang xavier xiao yan yann yannick yasmin yi ying yolanda yuki
yulia yuri yusuf yves yvonne zahra zhang zoe zofia zsofia anneliese hannelore friederike gudrun brigitte
"""
GIVEN_NAMES = frozenset(_NAMES.split())
