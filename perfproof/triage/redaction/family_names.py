"""Common family names of many languages, and the logins that are made of them: `jhoffmann`, `anna.keller`, `kellera`.

Names that are words or methods in this field are left out: Newton, Gauss, Porter, Marshall.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.ordinary_words import is_ordinary

_NAMES = """
abbott abdullah abernathy ackermann acosta adamczyk adamski adeyemi aguilar aguirre ahlberg ahmadi aksoy alexandrov almeida altmann alvarado alvarez
amundsen andersen anderson andersson andrade andreev antonov aragon arevalo armstrong arnaud arslan asante ashworth atkinson augustin aydin azevedo
bachmann baldwin balogh barbieri barbosa barbour barnard barnett barrett barros bartlett bastian bauer baumann baumgartner bautista beaumont becker
beckmann behrens bellini beltran benedetti bengtsson bennett benoit berger bergmann bergstrom bernardi bertrand bianchi bielawski bjornsson
blanchard blanco bloomberg boateng bogdanov bonnet borges borkowski bouchard boucher bourgeois bowers boyle bradley brandt braun brennan breuer
brouwer browning bruckner brunner bryant buchanan buchholz burgess burnett byrne caballero cabrera calderon callahan cameron campbell campos cardoso
carlson carlsson carrasco carroll caruso carvalho castaneda castillo castro cavendish cervantes chakraborty chambers chandler chatterjee chaudhary
chavez chevalier chowdhury christensen christiansen clayton clement cochran colombo connolly contreras conway cordero cornelius correia corrigan
costello coulibaly crawford cunningham czarnecki dahlberg dalton danielsson davidson davies dawson delacroix delgado deshmukh deshpande diallo
dickson diederich dietrich dimitrov dombrowski dominguez donnelly donovan dougherty douglas drummond dubois duchamp dudek dufour duncan dupont
dupuis durand dvorak eckhardt edwards ekstrom elliott ellison engelhardt engstrom erdogan eriksen eriksson escobar espinosa esposito esteban
evangelista evans everett fairchild farrell faulkner ferguson fernandes fernandez ferrara ferrari ferraro ferreira figueiredo figueroa fischbach
fischer fitzgerald fitzpatrick flores fontaine forsberg forster fournier frederiksen freitas friedman friedrich fuentes fujita fukuda gallagher
gallardo gallo gamboa garcia gardner garnier garrett gauthier gebhardt geiger georgiev gerhardt gibson gillespie giordano girard goldberg goldstein
gomes gomez goncalves gonzales gonzalez goodman goodwin gorski gottlieb grabowski granger greco greenberg gregory griffith grigorescu grossmann
gruber guerra guerrero guillaume guimaraes gunther gupta gustafson gustafsson gutierrez guzman haas hagberg haines hamilton hammond hancock hansen
hansson hargreaves harrington harrison hartley hartmann hasegawa hashimoto hassan haugen hawkins hayashi heinrich helland heller hellstrom henderson
hendricks henriksen hermann hernandez herrera herrmann herzog hidalgo higgins hildebrandt hinojosa hirsch hoffman hoffmann hofmann hofstetter hollis
holmberg holmes holmstrom hopkins horvath houghton howell hristov huang hubbard hudson huffman hughes humphrey hussain hutchinson ibarra ibrahim
iglesias ignatiev inoue isaksson ishikawa ivanov ivanova iversen iyer jablonski jackson jacobs jacobsen jakobsen jankowski jansen janssen
januszewski jaworski jefferson jenkins jensen jimenez johansen johansson johnsen johnson johnston jokinen jonsson jorgensen josephson juarez jurgens
kaczmarek kaiser kaminski kapoor karlsen karlsson kaufman kaufmann kawasaki keller kellner kelly kennedy kerr khalil khan kimura kirchner kjellberg
klein knudsen kobayashi koch kohler kolesnikov kondo korhonen kovac kovacs kowalczyk kowalski kozlov kozlowski kramer kraus krawczyk kreuzer
kristensen kristoffersen krueger kruger kucera kuhn kulkarni kumar kuznetsov kwiatkowski lancaster landgraf langley larsen larsson laurent lawrence
lawson lebedev lechner leclerc lefebvre lehmann lehtinen leibniz lemaire lemoine leonov leroux lewandowski lewis liang lindberg lindgren lindholm
lindqvist lindstrom livingston logan lombardi lopes lopez lorenz lorenzo lovell lozano ludwig lundberg lundgren lundqvist lynch macdonald machado
mackenzie maclean macleod madsen magnusson mahmoud maier makinen malik malinowski mancini manning manzini marchand marchetti marino marques marquez
martens martinelli martinez martini martins mathieu matsuda matsumoto matthews maurer mayer mazur mccarthy mcconnell mccormick mcdonald mcgrath
mcgregor mcguire mckenzie mclaughlin mcmahon mcmillan medina meier melnyk mendes mendez mendoza mercado mercier meyer michaels michalski mikkelsen
milanovic miller mishra mitchell miyamoto moller monaghan montgomery montoya moore morales moreau moreira moreno moretti morgan morris morrison
mortensen mueller muhammad mukherjee muller munoz murakami murray nagy nakagawa nakajima nakamura narayan navarro neumann neuville newman nguyen
nichols nicholson nicolas nielsen niemann niemi nikolaev nilsen nilsson nishimura nogueira nordstrom norris novak novotny nowak nowakowski nunes
nunez oberg obermeier obrien oconnor odonnell ogawa okafor okonkwo oliveira oliveri olsen olson olsson oneill orlov orozco ortega ortiz osborne
osman ostrowski ottosson owusu ozdemir ozturk padilla palmer panagiotou papadopoulos parker parsons patel paterson patterson pauwels pavlov pawlak
pearson pedersen pellegrini peltonen pereira perez perkins perrin petersen peterson petit petrov petrova petterson pettersson pfeiffer phillips
piccolo pietrzak pimentel pinheiro pinto piotrowski poirier pokorny polanski pontes popescu prescott preston prochazka quigley quintero quiroga
raghunathan rajan ramachandran raman ramirez ramos randolph rasmussen rautio reddy regnier reichert reinhardt reyes reynolds ribeiro ricci richards
richardson richter riedel riley rinaldi rivera roberts robertson robinson rocha rodrigues rodriguez rogers rojas romano romanov romero rosales
rosario rosenberg rossi rousseau roussel rudolph ruiz russo saavedra saito sakamoto salazar salinas salvatore sanchez sandberg sanders sanderson
sandoval santana santiago santoro santos sasaki sauer saunders savchenko schaefer schafer schiller schmid schmidt schmitt schmitz schneider scholz
schreiber schroder schroeder schubert schulte schultz schulz schulze schumacher schuster schwartz schwarz seidel serrano shapiro sharma shevchenko
shimizu shinohara siddiqui silva silverman simmons simonsen sinclair singh sjoberg skinner slater smirnov snyder soares sobolev sokolov solberg
sommer sorensen soto sousa souza spielmann stahl stefanov stein steiner steinmetz stephens stephenson stevens stevenson stewart strauss suarez
sullivan sundberg suzuki svensson svoboda swanson szabo szczepanski szymanski tamura tanaka tavares taylor teixeira terrell thompson thomsen thomson
thornton thorsen tikhonov timmermans tkachenko toivonen tomlinson tornqvist torres townsend tremblay trevino tucker turner ueda ulrich underwood
urbanski valdez valencia valenti valentine vandenberg vanderberg vargas vasiliev vasquez vaughan vazquez velasco velasquez venkataraman verhoeven
vermeulen villanueva virtanen vogel volkov vollmer wagner wakefield walker wallace walsh walters wang warner warren washington wasserman watanabe
watkins watson weber webster weidner weinberg weiss werner westerberg whitaker whitehead whitfield whitlock wieczorek wiggins wilhelm wilkins
wilkinson williams williamson willis winkler wisniewski wojciechowski wolff woodward wozniak wright yamada yamaguchi yamamoto yamashita yamazaki
yilmaz yoshida yoshikawa zamora zapata zawadzki zhang zhao zheng zhou zielinski zimmer zimmerman zimmermann
"""
FAMILY_NAMES = frozenset(_NAMES.split())
FEWEST = 6  # letters of a family name behind an initial; 7 behind two
_TOKEN = re.compile(r"(?<![\w.@-])[a-z]++(?:[._-][a-z]+)?\d{0,4}(?![\w@-]|\.\w)")
_MODELS = frozenset("adam albert bert roberta marian oscar".split())
_ALSO_WORDS = frozenset("walker turner tucker kaiser watson shapiro jenkins hudson gibson palmer parker lorenz".split())
_ENDINGS = frozenset("py md so cu cc sh js ts go rs jl gz db pt h c o a in".split())


def logins_of_names(text: str) -> Iterator[tuple[int, int]]:
    """Where a word stands that is made of a name, as a login is."""
    for found in _TOKEN.finditer(text):
        if len(found[0]) > FEWEST and _is_made_of_a_name(found[0]):
            yield found.span()


@lru_cache(maxsize=1 << 16)
def _is_made_of_a_name(word: str) -> bool:
    word = word.rstrip("0123456789")
    first, mark, last = word.partition(next((one for one in "._-" if one in word), "."))
    if mark and last:
        if first in GIVEN_NAMES and first not in _MODELS:
            return last in FAMILY_NAMES or (len(last) <= 2 and last not in _ENDINGS)
        if first in FAMILY_NAMES:
            return last in GIVEN_NAMES or len(last) == 1
        return len(first) <= 2 and last in FAMILY_NAMES
    if is_ordinary(word):
        return False
    if len(word) > FEWEST and word in FAMILY_NAMES and word not in _ALSO_WORDS:
        return True
    parts = ((word[at:], FEWEST + at - 1) for at in (1, 2))
    if any(len(part) >= fewest and part in FAMILY_NAMES for part, fewest in parts):
        return True
    if len(word) > FEWEST and word[:-1] in FAMILY_NAMES and word[-1] not in "sne":
        return True
    return any(word[:at] in GIVEN_NAMES and word[at:] in FAMILY_NAMES for at in range(3, len(word) - 3))
