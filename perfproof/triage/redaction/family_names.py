"""Common family names of many languages.

Names that are words or methods in this field are left out: Newton, Gauss, Porter, Marshall.
"""

_NAMES = """
abbott abdullah abernathy abiodun aboagye abramov achebe achterberg ackermann acosta adamczyk adamski adebayo adeleke adeyemi aeschbacher aguilar
aguirre ahlberg ahmadi akbari akhtar aksoy alarcon albrecht alcantara alekseev alexandrov alexiou alhassan allgaier almeida almqvist altmann
alvarado alvarez amadi amundsen andersen anderson andersson andrade andreev andreou andriessen angelov antonov antunes appiah aragon arevalo
armstrong arnaud arnesen arroyo arslan asamoah asante ashworth assefa atkinson augustin aydin azevedo azizi babic bachmann bachmeier baeza balazs
baldwin balogh balogun banerjee baptiste barbieri barbosa barbour barman barnard barnett barreto barrett barros bartlett bartos basak bastian
batista bauer baumann baumgartner bautista beaulieu beaumont becerra becker beckmann bednar behrens belanger bellini beltran benali benedek
benedetti bengtsson benitez bennett benoit berger berglund bergmann bergqvist bergstrom berisha bernardi bertolini bertrand betancourt bhattacharya
bianchi bielawski bjork bjornsson blanchard blanco blaszczyk bloomberg boateng boccara bogdan bogdanov bondarenko bonetti bonnet borges borisov
borkowski botha bouchard boucher bourgeois bouzid bowden bowers boyle bradley brambilla brandao brandt braun brennan breuer brinkhoff broberg
brodersen brouwer browning bruckner brunner bruun bruyn bryant buchanan bucher buchholz buhler bukowski burgess burmeister burnett byrne caballero
cabrera calderon caldwell callahan cameron campbell campos cannavaro capelli cardenas cardoso carlson carlsson carlucci carrasco carroll caruso
carvalho casanova castaneda castillo castro cavendish cepeda cervantes chakraborty chambers chandler chandra charalambous chatterjee
chatzis chaudhary chavez chevalier chiang chikwanda chowdhury christensen christiansen chukwu clayton clement cochran coelho colombo connolly
contreras conway coppola corbett cordero cordova cornelius correia corrigan costello coulibaly coutinho crawford crespo csonka cunningham
cvetkovic czarnecki dahlberg dahlgren dalton danielsson darwish dasgupta davidson davies dawson delacroix delgado demirci deshmukh
deshpande desjardins devries diakite diallo dickson diederich dietrich dimitrov djordjevic dlamini dobrev dogan doherty dombrowski dominguez donati
donato donnelly donovan dougherty douglas drexler driessen drummond dubois dubreuil duchamp dudek dufour duncan dupont dupuis durand dutta
dvorak ebersole ebner echeverria eckhardt edlund edwards ekstrom ekwueme elgin elliott ellison emmerich engelhardt engstrom enriquez erdem erdogan
ericsson eriksen eriksson escobar espinosa espinoza esposito esteban esteves etxeberria evangelista evans everett fabbri fairchild falcone
farkas farouk farrell fashola faulkner fedorov feldmann ferguson fernandes fernandez ferrante ferrara ferrari ferraro ferreira fiedler fierro
figueiredo figueroa filippov fischbach fischer fitzgerald fitzpatrick fleischer flores fofana fontaine forsberg forster forsyth fournier
fraser frederiksen freitas friedman friedrich fuentes fujita fukuda fukushima furlan galindo gallagher gallardo gallo galvan gamboa gantner garcia
gardner garnier garrett gashi gauthier gavrilov gebhardt geiger geissler georgiev georgiou gerber gerhardt ghosh giannopoulos gibson
gillespie gimenez giordano girard glaser gogolewski gokhale goldberg goldstein gomes gomez goncalves gonzales gonzalez goodman goodwin goossens
gorecki gorski gottlieb grabowska grabowski granados granger grassi greco greenberg gregory griffith grigorescu grigoryan grimaldi grossmann gruber
guerra guerrero guevara guillaume guillen guimaraes gunawan gunther gupta gustafson gustafsson gustavsson gutierrez guzman haapala haas haberkorn
hadjiev hagberg haines hakimi hakobyan hamdan hamid hamilton hammond hancock hansen hansson haraldsson hargreaves harrington harrison hartikainen
hartley hartmann harutyunyan hasegawa hashimoto hassan hassani hatzis haugen haugland hawkins hayashi hayashida heikkinen heinonen heinrich helland
heller hellmann hellstrom henderson hendricks henningsen henriksen herbst hermann hernandez herold herrera herrero herrmann herzog hidalgo hidayat
higgins hildebrandt hinojosa hirsch hoffer hoffman hoffmann hofmann hofstetter holgersson hollis holmberg holmes holmstrom holub hoogendoorn hopkins
horak horvath hosseini houghton hovhannisyan howell hristov hruby huang hubbard hudson huffman hughes huisman humphrey huseynov hussain hutchinson
iacob ibanez ibarra ibrahim idris iglesias ignatiev ikram inaba inoue ionescu ionita isaksson ishikawa ismail ivanov ivanova iversen iwasaki iyer
izquierdo jablonski jackson jacobs jacobsen jacobsson jakobsen jalonen jankowski jansen janssen jansson januszewski jaramillo jarvinen jaworski
jefferson jenkins jensen jimenez jimoh johannesson johansen johansson johnsen johnson johnston jokinen jonsson jorgensen josephson jovanovic juarez
juhasz jurgens kabir kaczmarek kaiser kalinin kallio kamal kamara kamau kaminski kamiya kaneko kapadia kapoor kapur karaca karimi karlin karlsen
karlsson karoly kasprzak kassab katsaros kaufman kaufmann kawamura kawasaki kazemi keller kellner kelly kemal kennedy kenyatta kerr keskin khalil
khan khoury kiely kimura kiplagat kiprono kirchhoff kirchner kjeldsen kjellberg klein klimek knezevic knudsen kobayashi koch kohler koivisto kolar
kolesnikov konate kondo konig kooij korhonen koskinen kostadinov kotze kouassi kovac kovacs kovalenko kovalev kowalczyk kowalewska kowalski kozlov
kozlowski kramer krasniqi kraus krawczyk kreuzer krishnamurthy krishnan krishnaswamy kristensen kristiansen kristoffersen kristoffersson kroll
krueger kruger kruse kubiak kucera kucharski kuhn kuiper kulkarni kumar kundu kuusisto kuznetsov kwiatkowski lachance lahti lancaster landgraf
landry langley lapointe larios larsen larsson laskaris lassila laurent laurila lavoie lawrence lawson lazarov lebedev lechner leclerc leclercq
lecomte ledesma lefebvre lehmann lehtinen leibniz leitner lemaire lemoine leonov lepisto lerma leroux lestari levchenko levin lewandowska
lewandowski lewis liang lindahl lindberg lindblom linden lindgren lindholm lindner lindqvist lindstrom lisowski litvinov livingston llorente loaiza
logan loizou lombardi lopes lopez lorente lorenz lorenzo lovell lozano ludwig lundberg lundgren lundqvist luong lynch lytvyn macdonald machado
mackenzie maclean macleod madsen magalhaes magnusson mahlangu mahmoud maier majewski makarov makinen malhotra malik malinowski mancini manikandan
manning mansour mansouri manzini marchand marchetti marin marino marinov markovic marques marquez martens martinelli martinez martini martins
martinsson maslov massaro mathieu matos matsuda matsui matsumoto matthews mattila mattsson matveev maurer mayer mazur mazurek mbatha mbeki mccarthy
mcconnell mccormick mcdonald mcgrath mcgregor mcguire mckay mckenzie mclaughlin mcmahon mcmillan medeiros medina meier meijer mejia melnyk menard
mendes mendez mendoza mensah mercado mercier merkel meszaros meyer michaels michalski mihajlovic mikhailov mikkelsen milani milanovic milic miller
minhas miranda mishra mitchell mitrovic miyamoto mizuno mohamed mokoena molina moller moloney monaghan monteiro montero montgomery montoya moore
moraes morales moreau moreira moreno moretti morgan moriarty morita morozov morris morrison mortensen mosquera moussa mueller muhammad mukherjee
mulcahy mulder muller munoz munteanu muradyan murakami murray mutua mwangi nagy naidoo nakagawa nakajima nakamura nakano naranjo narayan natarajan
navarro ndiaye ndlovu nedelcu nemeth neumann neuville newman ngata ngugi nguyen nichols nicholson nicolas nielsen niemann niemela niemi nieminen
nieto nikolaev nikolic nilsen nilsson nishida nishimura nkosi nnamdi noguchi nogueira nolte norberg nordstrom norris novak novikov novotny nowak
nowakowski ntuli nunes nunez nwosu nyberg nyman oberg obermeier obrien ochieng oconnor odhiambo odonnell oduya ogawa ogunleye ohara ojeda okada
okafor okamoto okeke okonkwo okoro okoye olaru oleary olivares oliveira oliveri olofsson olorunfemi olsen olson olsson omondi oneill onishi onyango
opoku orban orellana orlov orozco ortega ortiz osborne oshea osman osorio ostrowski ottavi ottosson ouedraogo outinen owusu ozaki ozdemir ozkan
ozturk paavola padalka padilla paiva palmer panagiotou pandey panikar pantelic papadaki papadakis papadimitriou papadopoulos paquette parikh parker
parsons pasquale patel paterson patil patterson paulsen paunovic pauwels pavlenko pavlov pavlovic pawlak pearson pedersen pejic pelaez pellegrini
pelletier peltonen peralta pereira perez perkins perrault perrin perron perrotta persson petersen peterson petit petkov petrauskas petrenko petrov
petrova petrovic petterson pettersson pfeiffer phillips phiri piazza piccolo pichler pietrzak pilipenko pimentel pinheiro pinter pinto piotrowski
podolski poirier pokorny polanski polyakov pontes popescu popovic pradhan prakash prasad preda prescott preston prochazka prohorov
pulido putra quigley quintero quiroga quispe rachmawati radic radulescu rafferty raghunathan rahimi rahman rahmawati rajagopalan rajan rajput
rakotomalala ramachandran raman ramaswamy ramirez ramos randolph rangel rasheed rashid raskin rasmussen rausch rautio rebelo reddy redondo regnier
reichert reinhardt reinholt renner restrepo reyes reynolds rezai ribeiro ricci richards richardson richardsson richter riedel riley rinaldi rissanen
rivera rizzo roberts robertson robinson robles rocha rodin rodrigues rodriguez rogers rojas roldan romano romanov romeo romero rosales rosario rosen
rosenberg rossi rossini rostami rousseau roussel rubio rudolph rueda ruiz russo ruzicka rydberg saarinen saavedra sabbagh sadeghi sagar sahin sahlin
saidi saito sakamoto salazar saleh salgado salinas salonen salvatore samaniego samuelsson sanchez sandberg sanders sanderson sandhu sandoval sanghvi
sanjuan santana santiago santillan santoro santos saravanan sarkar sarna sasaki sauer saunders savard savchenko savic sayed scarpa schaaf
schaefer schafer schenk schiavone schiller schmid schmidt schmitt schmitz schneider schoen scholten scholz schott schramm
schreiber schreiner schroder schroeder schroter schubert schuler schulte schultz schulz schulze schumacher schumann schuster schwartz schwarz sedlak
seeger segovia seidel seidl selmani semenov serra serrano sethi seymour shaikh shapiro sharma shehu sherwood shetty shevchenko shimizu shinde
shinohara shirazi shukla siddiqi siddiqui sidorov sikora silva silveira silverman simic simmons simoes simonsen sinclair singh sipos sirota sisko
sjoberg skinner slater slavik smirnov snyder soares sobolev sokolov solberg soliman solis solovyov sommer somogyi sorensen sotiriou soto soukup
sousa souza spielmann srinivasan srivastava stahl stamenkovic stanciu stankovic stavridis steen stefanov stefansson stein steinberg steiner
steinmetz stephan stephens stephenson stevens stevenson stewart stoica stojanovic stoyanov strand strandberg straub strauss strobel strom suarez
subramaniam subramanian suleiman sullivan sultani sundaram sundberg suwannarat suzuki svendsen svensson svoboda swamy swanson szabo szalai
szczepanski szekely szymanski takacs takagi takahashi takeda talbot tamayo tamura tanaka tanner tapia tardif tariq tavakoli tavares taylan taylor
tedesco teixeira teran terrell tesfaye thakur thapa theriault thiel thompson thomsen thomson thornton thorsen thorsteinsson tijerina tikhonov
timmermans tkach tkachenko toivonen tomic tomlinson topal tornqvist torok torres toure townsend trajkovski trautwein trejo tremblay trevino treviso
triantafyllou trinh tripathi truong tsang tucker tudor turan turcotte turner turunen uchida ueda ulloa ulrich umarov underwood urbanski uribe
ustinov vaillancourt vainio valdes valdez valencia valenti valentine valle vallejo vandenberg vandenbroucke vanderberg vanderwoude varga
vargas varma vasileiou vasilev vasiliev vasquez vasseur vaughan vazquez velasco velasquez velez venkataraman venter verhoeven verma vermeulen
vidal vieira lobos nueva vinci virtala virtanen visser vitale vlasov vogel voigt volkov vollmer voronin vukovic wagner wakefield
walczak waldner walker wallace wallin walsh walters wang wanjiku warner warren warsame washington wasserman watanabe watanuki watkins watson weber
webster weidner weinberg weiss weisz wenger werner westerberg westman whitaker whitehead whitfield whitlock wieczorek wieser wiggins wijaya wilhelm
wilkins wilkinson willems williams williamson willis winkler wirth wisniewski witkowski wojciechowski wojcik wolak wolff woodward wozniak wright
wronski xavier yadav yamada yamaguchi yamamoto yamanaka yamashita yamauchi yamazaki yildirim yildiz yilmaz yoshida yoshikawa yusupov zafar zaharia
zajac zamani zamora zanetti zapata zapletal zarate zavala zawadzki zdravkov zelenka zeman zhang zhao zheng zhou zhukov zidane ziegler zielinski
zimmer zimmerman zimmermann zubkov zuniga zwolinski
"""
FAMILY_NAMES = frozenset(_NAMES.split())
