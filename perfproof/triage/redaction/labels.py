"""Personal data that a label tells: "Passport no. …", "geboren am …", "Full name: …", "Anschrift: …".

Each kind of label says what its value must look like: a number with enough digits, a date, a name, an address, a text.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from perfproof.triage.redaction.family_names import FAMILY_NAMES
from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.keys import KINDS
from perfproof.triage.redaction.meanings import LOGIN, NAME, NUMBER, ROLE, folded, meaning, words_of
from perfproof.triage.redaction.name_likeness import likeness
from perfproof.triage.redaction.ordinary_words import is_ordinary
from perfproof.triage.redaction.pairs import pairs, parent_of
from perfproof.triage.redaction.personal_values import (
    DATE,
    DIGITS,
    PARTICLE,
    PERSON,
    PHONE_NUMBER,
    WORD,
    extent,
    is_name,
    is_number,
)
from perfproof.triage.redaction.prose import is_plain, speaks_of_a_password

_NUMBER_LABELS = (  # whole words that name a number of one person, a vehicle or an account
    r"(?:kunden|kranken\w*|versicherung\w*|mitglied\w*|pass|personal|ausweis|steuer|sozial\w*|renten\w*|konto|mandant\w*|patient\w*|schüler|studi\w*|auftrags|vertrags|client(?= ?n)|customer|contact|voter|student|pupil|tax file"
    r"|employee|patient|passenger|traveler|licen[cs]e|member|loyalty|subscriber|beneficiary|taxpayer|resident\w*|refugee|visa|permit|registration|prisoner|inmate|military|service|police|claim|case|donor|inscription|sécu\w*|matricule|abonné"
    r"|cliente|paciente|empleado|klant|kund|medlem)[ _.-]{0,2}(?:nummer|nr|number|num|no|id|numéro|número|ident\w*|#)|ehic|ssn|social[ _-]?security|sozialvers\w*|s(?:é|e)curit(?:é|e) sociale|seguridad social|national[ _-]?(?:id|insurance)|nino|nhs|medicare|medicaid"
    r"|\w*pass?port\w*|reisepass|pasaporte|passaporto|paszport\w*|паспорт|护照\w?|driv(?:er|ing)(?:'?s)?[ _-]?licen[cs]e|führerschein\w*|permis de conduire"
    r"|\w*ausweis\w*|(?:id|identity)[ _-]?card|carte d'identité|cedula|cédula|cpf|cnpj|dni|nif|curp|bsn|pesel|person(?:nummer|al[ _-]?(?:id|no|nr|nummer|number))"
    r"|cpr(?:-?(?:nr|nummer))?|fødselsnummer|henkilötunnus|codice fiscale|aadhaa?r|(?-i:PAN|NIE|NIR|TIN|TFN|SIN|ITIN|RRN)|tax(?:payer)?[ _-]?id\w*|steuer-?(?:id|nummer|nr)\w*"
    r"|身份证号?码?|マイナンバー|주민등록번호|инн|снилс|(?:health[ _-]?)?insurance(?: policy)?|versicherten\w*|versicherungs\w*|mrn|medical[ _-]?record|patient[ _-]?(?:id|no|nr|number)"
    r"|imei|imsi|iccid|meid|vin|orcid|(?:licen[cs]e|number|registration)[ _-]?plate|kennzeichen|kontonummer|konto(?:-?nr)?|blz|bankleitzahl|sort[ _-]?code|routing(?:[ _-]?n\w+)?"
    r"|(?:bank[ _-]?)?(?:account|acct)(?:[ _-]?(?:no|nr|number|num|#))?|card[ _-]?(?:no|nr|number)|matrikel\w*|matriculation|kundennummer|mitarbeiter-?n\w+|personnel|badge"
    r"|(?:employee|staff|student|customer|member(?:ship)?|policy|passenger|case[ _-]?file|subscriber|pupil|worker)[ _-]?(?:id|no|nr|num|number|code|#)"
    r"|num[ée]ro (?:client|de client|d'assuré|fiscal|fiscale)|(?:cvc|cvv)\d?|(?:exp(?:iry|ires|iration)?)(?: date)?(?=\W{1,3}\d\d ?/ ?\d\d(?!\d))|ext(?:ension)?\.(?= ?\d)"
)
_FEW_DIGITS = re.compile(r"(?i)plate|kennzeichen|cvc|cvv|exp|ext|badge|licen[cs]e|id|n[or]|number")
_DATE_LABELS = (
    r"(?:date|place and date|datum) of birth|d\.?o\.?b\.?|born(?: on| in)?|birth[ _-]?da(?:y|te)|dateofbirth|birthdate|geburts(?:datum|tag)|geb(?:oren|\.)?(?: am| op)?"
    r"|n[ée]\(e\) le|née?(?: le| en)?|date de naissance|fecha (?:de )?nacimiento|nacid[oa](?: el| en)?|nat[oa] il|data di nascita|data de nascimento|nascid[oa] em|geboortedatum"
    r"|fødselsdato|født|födelse(?:datum|dag)|född|syntymäaika|data urodzenia|urodzon[ya]|datum narození|születési idő|doğum tarihi|дата рождения|родил\w+"
    r"|出生日期|出生年月|生年月日|nací(?: el| en)?|nasci(?: em| a)?|nato il|nata il|urodził[ea]m się|родил[аи]?с[ья]|geboren (?:am|op|den)|född den|født den|b\.(?= ?\d{1,2} [A-Z])|생년월일|urodziny|anniversaire|cumpleaños|hired on|date of death|died(?: on)?"
)
_ADDRESS_LABELS = (
    r"(?:home|postal|mailing|street|shipping|billing|private|delivery|residential|current)?[ _-]?address(?: is|e)?|adresse(?: privée)?|(?:wohn|liefer|rechnungs)?anschrift|wohnhaft in|wohnt in|adres"
    r"|direcci[óo]n|domicilio|indirizzo|residente in|endereço|adress|osoite|адрес|住所|地址|주소|street(?: ?\d)?|straße|strasse|rue|lives? (?:at|in)|living at|postfach|p\.?o\.? ?box|ship to|deliver to|bill to|domicile"
)
_POST_LABELS = r"zip(?:[ _-]?code)?|post[ _-]?(?:al[ _-]?)?code|plz|postleitzahl|code postal|código postal|cap|postcode|postnummer|kod pocztowy"
_PHONE_LABELS = (
    r"mob\.?|t[eé]l(?:e(?:ph|f)on\w*|éfono|\.)?|téléphone|phone(?:[ _-]?n\w+)?|mobile?(?:[ _-]?(?:n\w+|phone))?|mobil\w*|cell(?:ular|ulare|phone)?|fax|handy|sms(?: \w+)?(?: to)?|whatsapp|rufnummer|gsm|portable"
    r"|celular|móvil|telemóvel|telefono|telefoon|puhelin|телефон|моб|电话|手机|電話|携帯|전화|휴대폰|call(?: (?:me|us|him|her)(?: at| on| under)?| at)|dial|text me(?: at)?|durchwahl"
)
_SAYS = r"(?:\s?\([^)\n]{1,15}\))?(?:[ _-]?(?:no|nr|num|number|nummer|numéro|número|numero|código)\b)?\.?\\?[\"'’]?(?:\]|\))?(?:\s*(?:[:=#：]|=>|>)\s*|\s+(?:is|ist|est|es|lautet|was|jest|är)\s*:?\s+|[ \t]+)\\?[\"'(]?"
_STRICT = r"\\?[\"']?\s*(?:[:=：]|>|=>|\s(?:is|ist|est|es|è|é|jest|lautet)\s)\s*\\?[\"'(]?"
_EDGE = r"(?<![A-Za-zÀ-ÿ])"


def _labelled(labels: str, says: str, kind: str, value: str) -> re.Pattern[str]:
    labels = re.sub(r" (?![^\[\n]*\])", "[ _-]?", labels)  # date_of_birth is written in many ways
    return re.compile(rf"{_EDGE}(?P<label>(?i:{labels})){says}(?P<{kind}>{value})")


_NUMBERS = _labelled(_NUMBER_LABELS, _SAYS, "person", DIGITS)
_PLAIN_NAME = re.compile(
    rf"{_EDGE}(?i:name|nom|nombre|nome|naam|namn|navn|nimi|név)[\"']?\s*[:=>]\s*[\"']?(?P<person>{PERSON})"
)
# fmt: off
_DATES = _labelled(_DATE_LABELS, rf"{_SAYS}(?:datetime\.)?(?:date(?:time)?\()?", "person", DATE)
_ADDRESSES = _labelled(_ADDRESS_LABELS, rf"(?:{_STRICT}|\s+)", "person", r"(?=[^\n\"<|;]*\d)(?!0x)(?:\d{1,5}[A-Za-z]?,? (?!(?i:bytes|bits|of|is|to|in|not)\b)[^\W\d_]|[A-ZÀ-Þ][^\W\d_]+[^\n\"<|;:=()]{0,40}?[ ,]\d)[^\n\"<|;:=()\[\]]{2,80}")
_POSTS = _labelled(_POST_LABELS, _STRICT.replace(r"[:=：]", r"[:=：]?"), "person", r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{3,6}(?:[- ]\d{2,4}| [A-Z]{2})?(?![\w.])")
_PHONES = _labelled(_PHONE_LABELS, _SAYS, "phone", PHONE_NUMBER)
# fmt: on
_FAR_NUMBER = re.compile(  # o NIF usado no teste é 254 817 904
    r"(?<![^\W_])(?i:nif|nipc|cpf|dni|nie|pesel|nip|regon|steuer-?id|svnr|sv-nummer|ahv|avs|bsn|cnp|egn|oib|jmbg|amka|инн|снилс|полис|curp|rfc|nss|niss|ssn|nino|nhs|tckn|tc kimlik|mrn|aadhaar|身份证|护照|社保)(?![^\W_])[^\n\d]{0,40}?(?P<person>(?:[A-Z]{1,3}-?)?\d[\d .-]{6,22}\d[A-Z]?)(?![\w.])"
)
_FORMS = (  # told by a form of their own
    re.compile(
        rf"(?<![\w.])(?:M\.(?= \w{{3,}})|Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herrn?|Frau|Monsieur|Madame|Mme|Mlle|Señora?|Sra?|Sig(?:nora?|\.ra)?|Dhr|Mevr|Mw|Pani?|Dott|Senhora?|Bay|Bayan)\.? (?:(?:Dr|Prof|Ing|med)\. ?){{0,3}}(?P<person>{PERSON})"
    ),
    re.compile(
        r"(?<![\w<])(?P<person>[A-Z][A-Z<](?:[A-Z]{3}|[A-Z]<<)[A-Z<]*[A-Z]<<[A-Z<]{4,}|(?=[A-Z0-9<]*<)(?=(?:[A-Z<]*\d){10})[A-Z0-9<]{28,44})(?![\w<])"
    ),  # of a passport
    re.compile(
        r"(?i:(?:linkedin\.com/(?:in|pub)|(?:twitter|x|facebook|instagram|tiktok|threads)\.(?:com|net)|t\.me|paypal\.me|venmo\.com|keybase\.io|orcid\.org|medium\.com|mastodon\.\w+)/@?)(?P<user>(?!(?:intent|share|sharer|home|hashtag|search|login)\b)[\w.-]{3,60})"
    ),
    re.compile(
        r"(?P<mail>[\w.+-]+(?: ?[\[(](?:dot|punkt)[\])] ?[\w-]+)* ?[\[({](?:at|@|AT|ät)[\])}] ?[\w-]+(?:(?:\.| ?[\[(](?:dot|DOT|punkt)[\])] ?| dot )[\w-]+)+)"
    ),
    re.compile(r"(?<![\w.+-])(?P<mail>(?=[\x21-\x7e]*[^\x00-\x7f])[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,24})"),
    re.compile(
        rf"(?<![\w.])(?P<person>{WORD} {WORD}) (?:said|says|wrote|told|asked|reported|replied|confirmed|called|mentioned|complained|takes|suffers|lives|works (?:at|in|for)|approved|suggested|sagte|schrieb|meinte|dit|dijo)\b"
    ),
    re.compile(
        r"<(?i:contact|person|customer|patient|employee|member|student|user)\b[^<>]*?\b(?i:id|no|number)=[\"'](?P<person>(?=[\w-]*\d)[\w-]{4,})"
        r"|(?i:customer|patient|employee|member|student)[\"']?\s*[:=]\s*[\[{][^}\n]{0,80}?[\"']?(?i:id|no|number)[\"']?\s*[:=]\s*[\"']?(?P<user>(?=[\w-]*\d)[\w-]{4,})"
    ),
    re.compile(r"^FN[;:](?P<person>[^;:\n]{3,60})", re.MULTILINE),
    re.compile(r"OneDrive - (?P<person>[^\\/\n\"]{3,40})(?=[\\/])"),
    re.compile(
        r"(?:住所|地址|주소|所在地)\s*[:：]\s*(?P<person>[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af][^\n,;|]{3,40})"
    ),
    re.compile(r"geo:(?P<person>-?\d{1,3}\.\d{3,},-?\d{1,3}\.\d{3,})"),
    re.compile(r"\b(?:TODO|FIXME|XXX|HACK|NOTE) ?[(\[]@?(?P<user>[a-z][\w.-]{2,20})[)\]]"),
    re.compile(r"(?<![\w.])(?P<mail>\w+(?: (?:dot|punkt) \w+)* at \w+(?: (?:dot|punkt) \w+)+)"),
    re.compile(r"(?<![\w.@])(?P<user>@[a-z][\w.=-]{1,40}:[a-z][\w-]*(?:\.[\w-]+)+)"),  # of Matrix
)  # fmt: skip
_WITH_NAMES = (_FORMS[0], _FORMS[5])
_REMARK = _FORMS[11]  # the login in the brackets of a remark to do something
LIKE = 0.2  # the likeness of both words of a name that fill a cell or stand behind "for"; behind a role 0 is enough
SURELY = 0.6  # of a name that nothing introduces; hardly a pair of other words with capitals reaches it
UNLIKE = -0.6  # the least likeness behind a role
_SPELLED = re.compile(
    r"(?:Ma?c|O['’]|D['’]|De|Di|La|Le|Van|Al-|El-)?\w[^\W\d_A-Z]+(?:[-'’]\w?[^\W\d_A-Z]+)?\.?"
)  # one capital
_DOES = re.compile(r" (?:will|has|had|is|was|took|takes|handles|noticed|found|fixed|opened|closed|joined|left) ")
_WEAKLY = re.compile(
    r"(?i)(?<!\w)(?:for|with|to|about|für|mit|an|pour|avec|à|para|con|a|per|com|voor|met|för|med|dla|z|do|для|с|к)$"
)
_ALONE = re.compile(r" ?[\"'|,;\t]")
_BETWEEN = ("der ", "den ", "e ", "y ", "und ", "zu ", "do ", "la ", "le ")  # of nouns rather than of names
_SPEAKS = re.compile(r"\s?[:：] ")
_BESIDE_MAIL = re.compile(rf"(?:(?<=[|,;\t(\"'])|^) ?(?P<person>{WORD} {PERSON}) ?(?=[|,;\t\"']|$)")
_PHONE_CELL = re.compile(rf"(?<=[|,;\t\"']) ?(?P<phone>0{PHONE_NUMBER}) ?(?=[|,;\t\"']|\s*$)")
_PAIR = re.compile(rf"(?<![\w.@/-])(?P<person>{WORD}(?: [A-Z]\.)?(?: {PARTICLE})* {WORD})(?![\w(/@])")
_PARTS_OF_A_NAME = frozenset("family given first last middle full display".split())  # within an object `name`
_LOGIN_BESIDE = re.compile(r" [(\[]@?(?P<user>[a-z][a-z0-9._-]{2,31})[)\]]")
_OTHER_NAME = re.compile(r"prénom|vorname|(?:sur|first|last|given)[ _-]?name|apellido|cognome|voornaam|förnamn|fornavn")
_ASKED = re.compile(rf"(?<!\w)(?i:ask|contact|call|tell|ping) (?P<person>{WORD})")  # beside a number or an address
_INTRODUCES = re.compile(
    r"(?i)(?<!\w)(?:(?:statement|review|salary|evaluation|appraisal|photo|picture|wife|husband|son|daughter|mother|father|behalf|property|cv|resume|profile|home|desk|laptop|account|death"
    r"|name) of|avisar a|llamar a|preguntar a|escribir a|hablar con|avisem|avisar (?:o|a|ao|à)|ligar (?:para|a)|falar com|chiamare|avvisare|contattare|chiedere a|parlare con|scrivere a|appele[rz]|contacte[rz]|prévenir|demande[rz] à|voir avec|vu avec|écrire à|anrufen|fragt?en? sie|wende[nt]? (?:sie )?(?:sich|dich) an|rücksprache mit|abgestimmt mit|gesprochen mit|von"
    r"|bel(?:len)? met|vraag|neem contact op met|overlegd met|ring|kontakta|prata med|spørg|kontakt|zadzwoń do|zapytaj|skontaktuj się z|zavolat|kontaktujte|hívd|звонить|звоните|спросить|сообщить|обращаться к|обратиться к|связаться с|зателефонувати|arayın|ara|hubungi|gọi|liên hệ"
    r"|notify|escalate(?:d)? to|hand(?:ed)?(?: it)? over to|page|reach(?: out to)?|checked with|confirmed (?:with|by)|agreed with|on call is|doctor|nurse|dictating for|cover(?:ed)? by|replaced by|from|by|thanks to|merci à|danke an|gracias a|grazie a|obrigad[oa] a|kudos to|credits? to|belongs to|report for|on behalf of|ask|tell|ping|cc|(?:meeting|call|chat|lunch|interview|pairing|discussed|spoke|met|talked|agreed) with|(?:talk(?:ed)?|sp(?:o|ea)ke?|wrote|assigned|forwarded|handed over|sent) to"
    r"|questions to|according to|credit to|courtesy of|contact|attn|regards|ich hei(?:ße|sse)|hei(?:ße|ßt|sst)|je m['’]appelle|s['’]appelle|me llamo|se llama|mi chiamo|si chiama|(?:me |-me )?chamo(?:-me)?|sou (?:o|a)|meu nome é|ik heet|mijn naam is|ik ben|jag heter|jeg hedder|jeg heter|nazywam się|jestem|jmenuji se|меня зовут|зовут|adım|benim adım|nimeni on|a nevem|mă numesc|cheers|gruß|grüße|grüßen|cordialement|saludos|saluti|my name is|i am|i'm|this is|ich bin|je suis|soy|sono)$"
)
_ABOUT = re.compile(r"(?i)[<\"'](?:contact|person|customer|patient|employee|author|owner|member|student)[>\"']")
_VERB = re.compile(r" (?:is|was|ist|est|es|è|lautet|jest|är|er|heißt|heisst) (?=\S)")
_SAID = re.compile(rf"(?<![\w-])(?P<label>[^\W\d_]{{2,20}}(?:[ '’-][^\W\d_]{{1,20}}){{0,3}}?){_VERB.pattern}[\"'`]?")
_NAMING = frozenset(("name", "username", "login", "id", "handle"))
_ASKS_LOGIN = re.compile(
    r"[ \t]*(?i:user ?name|login|user) (?:for|at|on) [^\n]{1,120}: (?P<user>[A-Za-z_][\w.-]{2,31})\s*$"
)
_BARE = re.compile(  # in quotes or brackets; with a digit or a dot; or label and login are all of the line
    r"(?<![\w.-])(?P<label>[^\W\d_]{3,20}|[\u3040-\ud7af]{2,5})[ \t]+(?:(?P<mark>[<\[(\"'`])(?P<marked>[A-Za-z][\w.@-]{2,31})[>\])\"'`]"
    r"|(?P<value>(?=[a-z]+(?:\d|[._][a-z]|[ \t]*\r?$))[a-z][\w.@-]{3,31})(?=[ \t]*\r?$|[,;)]|\.\s|[ \t]))",
    re.MULTILINE,
)
_BESIDE_PASSWORD = re.compile(
    r"(?<![\w.-])(?P<label>[^\W\d_]{4,20})[ \t]+(?P<value>[a-z][a-z0-9._-]{3,31})(?=[\s,;:)])"
)
_BARE_NUMBER = re.compile(
    r"(?<![\w.-])(?P<label>[^\W\d_]{3,20}(?:[ -][^\W\d_]{2,20}){0,2})\.? (?P<value>[A-Z]{0,3}[ -]?\d[A-Z0-9]*(?:[ ./-][A-Z0-9]+){0,5})(?![\w.])"
)
_NUMBER_BESIDE = re.compile(  # a name; no date and no measure
    r"(?<![\w.,:/+#-])(?!(?:19|20)\d\d[ -])\d{2,5}(?:[ -]\d{2,5}){1,4}(?!\w|[.,:/-]\d| ?(?:[KMGT]i?B|[mun]?s|%|W|C)(?!\w))"
)
_LINE_START = re.compile(r"[ \t]*(?:[-*][ \t]+|[\w.-]+:[ \t]+)?")
_FOREIGN_PHONE = re.compile(r"(?<![\w+])\+\d{1,3}[ .-]?\d[\d .-]{6,}")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_PUBLIC = re.compile(r"(?i)copyright|\(c\)|©|licen[cs]ed? (?:by|under)|et al\b|arxiv|doi\.org")
# What a line must hold for the expressions to be tried: words in small letters, and a value of the right kind
_GLANCES = {
    _NUMBERS: (
        "ssn|social|sozial|curit|segur|nation|nino|nhs|medica|pass|pasa|pasz|паспорт|护照|licen|führer|permis|ausweis|identi|card|cedula|cédula|cpf|cnpj|dni|nif|curp|bsn|pesel|person"
        "|cpr|fødsel|henkil|fiscal|aadha|pan|nie|nir|tin|tfn|sin|rrn|tax|steuer|身份|マイ|주민|инн|снилс|insur|versich|mrn|record|patient|imei|imsi|iccid|meid|vin|orcid|plate|kennz|konto|blz|bankl|sort"
        "|rout|acc|matri|kund|mitarb|badge|employ|staff|student|client|member|policy|pupil|worker|num|cvc|cvv|exp|ext|kranken|mitglied|renten|mandant|schüler|studi|auftrag|vertrag|customer|contact|voter"
        "|traveler|loyal|subscr|benef|resident|refugee|visa|permit|regist|prison|inmate|militar|service|police|claim|case|donor|inscri|matricul|abonné|paciente|emplead|klant|medlem|ehic",
        r"\d\D{0,3}\d\D{0,3}\d|\d[A-Z]{1,9}\d",
    ),
    _DATES: ("birth|dob|d.o.b|b.|born|birthdat|geb|né|nac|nat|nasc|fød|föd|nací|nasci|syntym|urodz|naroz|születés|doğum|рожд|родил|出生|生年|생년|anniv|cumple|hired|death|died", r"\d\d"),
    _ADDRESSES: ("addr|adres|anschrift|wohn|direcci|domicil|indirizzo|residente|endere|osoite|адрес|street|stra|rue|live|living|ship to|deliver|bill to|postfach|box", r"\d"),
    _POSTS: ("zip|post|plz|cap|kod", r"\d{3}|[A-Z]\d"),
    _PHONES: ("mob|tel|tél|phone|cell|fax|handy|sms|whatsapp|ruf|gsm|portable|celular|móvil|puhelin|телефон|моб|电话|手机|電話|携帯|전화|휴대폰|call|dial|ring|text|durchwahl", r"\d[\d ()./-]{5,}\d"),
    _FORMS[0]: ("", r"(?:M\.|M[rsx]s?|Miss|Dr|Prof|Herrn?|Frau|Monsieur|Mme|Mlle|S(?:eñor|r)a?|Madame|Sig\S*|Dhr|Mevr|Mw|Pani?|Dott|Senhora?|Bay(?:an)?)\.? "),
    _FORMS[1]: ("<", "[A-Z0-9]<"),
    _FORMS[2]: (".com/|.me/|.io/|.org/|.net/|mastodon", "/"),
    _FORMS[3]: ("(at)|[at]|{at}|(@)|[@]|(ät)|[ät]", "[(\\[{]"),
    _FORMS[4]: ("@", "[^\\x00-\\x7f]"),
    _FORMS[5]: ("said|says|wrote|told|ask|report|repl|confirm|call|mention|complain|take|suffer|live|work|approve|suggest|sagte|schrieb|meinte| dit|dijo", "[A-Z]"),
    _FORMS[6]: ("person|customer|patient|employee|member|student|user|contact", "[<{]"),
    _FORMS[7]: ("fn", "FN"),
    _FORMS[8]: ("onedrive", "-"),
    _FORMS[9]: ("住所|地址|주소|所在地", "."),
    _FORMS[10]: ("geo:", r"\d"),
    _FORMS[11]: ("todo|fixme|xxx|hack|note", r"[)\]]"),
    _FORMS[12]: (" dot ", " at "),
    _FORMS[13]: ("@", "@[a-z]"),
}  # fmt: skip
_RULES = tuple((pattern, re.compile(value)) for pattern, (_, value) in _GLANCES.items())
HINTS = tuple(words.split("|") for words, _ in _GLANCES.values())


def find_in_pairs(text: str) -> Iterator[tuple[int, int, str]]:
    """Values behind labels of any spelling, in whatever structure the two stand."""
    for pair in pairs(text, _may_tell):
        meant = meaning(pair.label)
        last = words_of(pair.label)[-1:]
        if not meant and last == ["name"]:
            held = meaning(parent_of(text, pair.before))
            meant = NAME if held in (ROLE, LOGIN) else None
        elif not meant and last and last[0] in _PARTS_OF_A_NAME:
            meant = NAME if words_of(parent_of(text, pair.before))[-1:] == ["name"] else None
        if meant and (length := extent(meant, text[pair.start : pair.end], pair.quoted, pair.weak)):
            value = text[pair.start : pair.start + length]
            if words_of(value)[-1:] != words_of(pair.label)[-1:]:  # self.kernel_creator = creator
                yield pair.start, pair.start + length, "person" if " " in value else KINDS.get(meant, "person")
                beside = _LOGIN_BESIDE.match(text, pair.start + length) if " " in value else None
                if beside:
                    yield *beside.span("user"), "user"


@lru_cache(maxsize=1 << 14)
def _may_tell(label: str) -> bool:
    return (
        meaning(label) is not None or words_of(label)[-1:] == ["name"] or "".join(words_of(label)) in _PARTS_OF_A_NAME
    )


def find_labelled(line: str, chosen: int = -1) -> Iterator[tuple[int, int, str]]:
    """Where a line holds personal data behind a label or in a form of its own; `chosen` are the rules to try."""
    told, low = _FOREIGN_PHONE.search(line) is not None, line.lower()
    for number, (pattern, value) in enumerate(_RULES):
        if not chosen >> number & 1 or not value.search(line):
            continue
        for found in pattern.finditer(line):
            kind = next(kind for kind, value in found.groupdict().items() if value and kind != "label")
            if "\0" in found[kind]:  # something was replaced here
                continue
            if pattern is _NUMBERS and not _has_digits(found["label"], found["person"]):
                continue
            if kind == "phone" and not 7 <= sum(map(str.isdigit, found["phone"])) <= 15:
                continue
            if pattern in _WITH_NAMES and not is_name(found["person"], alone=pattern is _FORMS[0]):
                continue
            if pattern is _REMARK and is_ordinary(found["user"]):  # a word such as "later" in the brackets
                continue
            told = told or pattern is not _REMARK
            yield *found.span(kind), kind
    if prompt := _ASKS_LOGIN.match(line):
        yield *prompt.span("user"), "user"
    for said in _SAID.finditer(line) if _VERB.search(line) else ():  # my user name is jdoe
        meant = meaning(said["label"])
        if not meant or (meant in (LOGIN, ROLE) and words_of(said["label"])[-1] not in _NAMING):
            continue
        if length := extent(NAME if meant == ROLE else meant, line[said.end() :].partition("\0")[0]):
            yield said.end(), said.end() + length, KINDS.get(meant, "person")
    for bare in _BARE.finditer(line):  # author jdoe, User <jdoe>
        login = bare["marked"] or bare["value"]
        if login.isalpha() and not bare["marked"] and _LINE_START.match(line).end() != bare.start():  # type: ignore[union-attr]
            continue
        if meaning(bare["label"]) == LOGIN and not is_plain(login) and extent(LOGIN, login, whole=True) == len(login):
            yield *bare.span("marked" if bare["marked"] else "value"), "user"
    for bare in _BESIDE_PASSWORD.finditer(line) if speaks_of_a_password(low) else ():  # utente rrossi, password …
        if meaning(bare["label"]) == LOGIN and not is_plain(bare["value"]) and extent(LOGIN, bare["value"], whole=True):
            yield *bare.span("value"), "user"
    for far in _FAR_NUMBER.finditer(line):
        yield *far.span("person"), "person"
    for bare in _BARE_NUMBER.finditer(line):  # rodné číslo 845412/1234
        if is_number(bare["value"], fewest=6) and meaning(bare["label"]) == NUMBER:
            yield *bare.span("value"), "person"
    names = list(_names(line, low, told))
    yield from names
    for digits in _NUMBER_BESIDE.finditer(line) if names else ():
        if 8 <= sum(map(str.isdigit, digits[0])) <= 12:
            yield *digits.span(), "phone"


def _names(line: str, low: str, told: bool) -> Iterator[tuple[int, int, str]]:
    """People's names: behind a label, beside a mail address, or with a common given name."""
    beside = "@" in line and _MAIL.search(line) is not None
    if told or beside or _ABOUT.search(line) or _OTHER_NAME.search(low):
        for found in (*_PLAIN_NAME.finditer(line), *_ASKED.finditer(line)):
            if is_name(found["person"], alone=True):
                yield *found.span("person"), "person"
    if beside:
        for pattern, kind in ((_BESIDE_MAIL, "person"), (_PHONE_CELL, "phone")):
            for found in pattern.finditer(line):
                if kind == "phone" or is_name(found["person"], alone=False):
                    yield *found.span(kind), kind
    at = 0
    while pair := _PAIR.search(line, at):
        first, _, rest = pair["person"].partition(" ")
        known = not (rest and meaning(first)) and is_name(pair["person"], alone=False) and _is_somebody(line, pair)
        at = pair.end() if known else pair.start() + len(first)  # Employee Ann Lee
        if known and _PUBLIC.search(line):
            return
        if known:
            yield *pair.span("person"), "person"


def _is_somebody(line: str, found: re.Match[str]) -> bool:
    """Two words in capitals are a name if one is known as a name, if both are spelled like one, or if what stands before tells a person."""
    first, _, rest = found["person"].partition(" ")
    last = rest.rpartition(" ")[2]
    if folded(first) in GIVEN_NAMES or (folded(last) in FAMILY_NAMES and not is_ordinary(first)):
        return True
    if not _SPELLED.fullmatch(first) or not _SPELLED.fullmatch(last) or rest.startswith(_BETWEEN):
        return False
    like = likeness(first) + likeness(last)
    if like > SURELY and min(likeness(first), likeness(last)) > 0.2:
        return True
    if like < UNLIKE:
        return False
    before = line[max(0, found.start() - 40) : found.start()].rstrip(" \t\"'(<*:,")
    introduced = _INTRODUCES.search(before)
    if meaning(before) in (NAME, ROLE, LOGIN) or (introduced and (like > 0 or len(introduced[0]) > 4)):
        return True
    if like < (SURELY if " " in rest else LIKE):  # Anzahl der Schritte
        return False
    if _DOES.match(line, found.end()) or _WEAKLY.search(before) or line[: found.start()].rstrip().endswith("|"):
        return True
    if _ALONE.match(line, found.end()) and line[max(0, found.start() - 2) : found.start()].strip(" ")[-1:] in tuple(
        "\"'|,;\t"
    ):
        return True  # all of a cell, or of a text in quotes
    return _SPEAKS.match(line, found.end()) is not None and not line[: found.start()].strip(
        " \t*•>-[](),./:0123456789APM"
    )


def _has_digits(label: str, value: str) -> bool:
    return is_number(value, fewest=3 if _FEW_DIGITS.search(label) else 5)
