"""What a label means, in any spelling: `lastName`, `LAST_NAME`, "Last name", "Nachname" and 姓 all stand before a name.

A label is cut into words, the words are joined without case and accents, and the longest end that is known decides. Roles
("patient"), endings ("number") and verbs ("approved by") combine, so that no list has to hold every label.
"""

import re
import unicodedata
from functools import lru_cache

NAME, ROLE, LOGIN, PHONE, BIRTH, NUMBER, GEO, PLACE, PRIVATE = (
    "name", "role", "login", "phone", "birth", "number", "geo", "place", "private"
)  # fmt: skip
LONGEST = 64  # characters of a label
_SEAM = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "ß": "ss", "ı": "i", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)
_WORDS = {
    NAME: """
    fullname realname firstname lastname surname givenname familyname middlename maidenname displayname legalname birthname preferredname forename
    cardholder accountholder vorname nachname familienname geburtsname vorundnachname kontoinhaber karteninhaber prenom nomdefamille nomcomplet nomprenom
    nometprenom nombrecompleto nombreyapellidos nombreyapellido apellido apellidos cognome nomecompleto nomeecognome sobrenome imie nazwisko imieinazwisko
    voornaam achternaam fornamn efternamn fornavn etternavn efternavn etunimi sukunimi koko nimi jmeno prijmeni jmenoaprijmeni priezvisko teljesnev vezeteknev
    keresztnev prenume ime prezime imeiprezime adsoyad adisoyadi adi soyadi soyad имя фамилия отчество фио имяифамилия прізвище 姓名 氏名 名前 お名前 姓 担当者名 이름 성명 성함
    ονομα επωνυμο ονοματεπωνυμο hovaten hoten namalengkap jina الاسم שם नाम ชื่อ gecos
    """,
    LOGIN: """
    user username usr uname acct login actor pusher deployer aka loginname logname loginid userlogin owner submitter author creator committer assignee reviewer requester requestor approver uploader
    initiator maintainer runas samaccountname userprincipalname nickname handle screenname gitauthor invoker accountname principal useraccount osuser unixuser
    skype wechat icq snapchat instagram facebook twitter linkedin mastodon telegram discord lineid venmo paypal cashapp steam xbox psn gamertag github gitlab
    benutzer benutzername benutzerkonto benutzerkennung nutzer nutzername nutzerin anwender besitzer eigentumer eigentuemer ersteller autor autorin verfasser
    verfasserin bearbeiter bearbeiterin utilisateur identifiant nomdutilisateur nomutilisateur auteur auteure proprietaire usuario nombredeusuario propietario autora
    utente nomeutente autore proprietario utilizador nomedeusuario nomedousuario gebruiker gebruikersnaam eigenaar anvandare anvandarnamn agare bruger brugernavn ejer
    bruker brukernavn eier kayttaja kayttajatunnus kayttajanimi uzytkownik nazwauzytkownika wlasciciel uzivatel uzivatelskejmeno pouzivatel vlastnik felhasznalo
    felhasznalonev tulajdonos szerzo kullanici kullaniciadi sahibi yazar utilizator korisnik korisnickoime пользователь имяпользователя логин владелец автор користувач
    ユーザー ユーザ ユーザー名 ユーザ名 所有者 作成者 用户 用户名 用戶 用戶名 账号 帐号 作者 创建者 사용자 사용자명 사용자이름 소유자 작성자 χρηστης nguoidung tendangnhap pengguna namapengguna المستخدم משתמש
    """,
    ROLE: """
    cn commonname patient customer client employee student pupil teacher professor doctor physician nurse dentist contact operator manager supervisor recipient sender attendee
    participant interviewee interviewer witness tenant landlord applicant candidate guest visitor passenger donor borrower insured claimant plaintiff defendant lawyer
    therapist trainer trainee intern speaker presenter organizer organiser editor translator artist photographer engineer technician developer administrator
    coordinator director secretary boss colleague teammate spouse wife husband partner mother father son daughter brother sister guardian nextofkin kin oncall
    pointofcontact poc attn holder signatory signer buyer seller payer payee beneficiary debtor creditor investigator advisor adviser mentor tutor responsible caller
    respondent reporter subscriber member resident person researcher scientist postdoc instructor heir contactperson emergencycontact teamlead projectlead lead analyst consultant
    nom nombre nome naam namn navn prufer pruferin gutachter gutachterin ansprechpartner ansprechpartnerin sachbearbeiter sachbearbeiterin kontakt kontaktperson leiter leiterin mitarbeiter mitarbeiterin kunde kundin patientin schuler schuelerin
    arzt arztin absender absenderin empfanger empfangerin verantwortlich verantwortliche verantwortlicher zustandig betreuer betreuerin vorgesetzter student studentin
    inhaber inhaberin teilnehmer teilnehmerin responsable contacto cliente empleado empleada paciente alumno alumna medico remitente destinatario encargado titular profesor
    expediteur destinataire titulaire salarie employe eleve etudiant medecin referent interlocuteur referente dipendente mittente contatto responsabile studente paziente
    medewerker klant contactpersoon afzender ontvanger verantwoordelijke leerling kund anstalld avsandare mottagare ansvarig kontaktpersona ansvarlig medarbejder yhteyshenkilo
    vastuuhenkilo asiakas osoba osobakontaktowa klient pracownik pacjent odbiorca nadawca kierownik zamestnanec zakaznik odpovednaosoba ugyfel beteg musteri hasta calisan sorumlu
    ответственный исполнитель контакт контактноелицо клиент пациент сотрудник получатель отправитель руководитель студент врач 担当 担当者 責任者 患者 社員 連絡先 负责人 联系人 员工 客户 客戶 病人
    담당자 책임자 환자 고객 직원 υπευθυνος
    """,
    PHONE: """
    phone telephone telefon telefone telefono mobile mobil mobilephone cell cellphone cellular handy fax tel mob gsm sms whatsapp rufnummer durchwahl telefoon puhelin portable
    celular movil telemovel telefonnummer handynummer mobilnummer telefonnr puhelinnumero telefoonnummer numerodetelefono numerodetelephone numeroditelefono callerid msisdn hotline pager
    cep ceptelefonu telefonszam телефон моб мобильный номертелефона 电话 电话号码 手机 手机号 手机号码 電話 電話番号 携帯 携帯電話 전화 전화번호 휴대폰 휴대전화 연락처 τηλεφωνο dienthoai sodienthoai sdt نومرالهاتف الهاتف טלפון
    """,
    BIRTH: """
    gebdatum gebdat dob dateofbirth birthdate birthday bday born bornon geburtsdatum geburtstag geboren geborenam datedenaissance datenaissance neele nele fechadenacimiento fechanacimiento nacimiento
    datadinascita datadenascimento datanascimento geboortedatum fodselsdato fodelsedatum fodelsedag fodd fodt syntymaaika dataurodzenia datumnarozeni datumnarodenia szuletesiido szuletesidatum
    dogumtarihi датарождения датанародження 出生日期 出生年月 生日 生年月日 誕生日 생년월일 생일 ημερομηνιαγεννησης ngaysinh tanggallahir datanasterii
    """,
    NUMBER: """
    ahv ahvnr avs numeroavs svnr sozialversicherungsnummer ppsn nric mykad ktp tckimlik tckimlikno kimlikno amka cuit cuil egn cnp ssn socialsecurity socialsecuritynumber socialinsurance nationalid nationalinsurance nino nhs nhsnumber medicare medicaid passport passportno passportnumber reisepass pasaporte passaporto
    passeport paszport driverlicense driverslicense drivinglicence drivinglicense driverlicence fuhrerschein permisdeconduire ausweis ausweisnummer personalausweis identitycard idcard idcardnumber cedula
    cpf cnpj dni nif nie curp rfc bsn pesel nip regon personnummer personalnumber personalid cpr cprnummer fodselsnummer henkilotunnus codicefiscale aadhaar aadhar pan tin tfn itin rrn rodnecislo egn oib jmbg emso
    taxid taxnumber taxfilenumber steuerid steuernummer steuernr 身份证 身份证号 身份证号码 マイナンバー 주민등록번호 инн снилс паспорт 护照 护照号 パスポート番号 여권번호 insurancenumber insuranceid versicherungsnummer versichertennummer krankenversichertennummer
    mrn medicalrecord medicalrecordnumber imei imsi iccid meid vin licenseplate licenceplate numberplate registrationplate plate kennzeichen immatriculation matricola kontonummer kontonr bankaccount accountnumber
    accountno acctno sortcode routingnumber creditcard creditcardnumber cardnumber cardno pan kreditkarte kreditkartennummer cartedecredit tarjeta numerodetarjeta cvc cvv matrikelnummer matriculation matricule personalnummer
    mitarbeiternummer kundennummer mitgliedsnummer badge badgenumber personnelnumber staffnumber orcid policynumber numerofiscal numerosecuritesociale nir numerodesecuritesociale seguridadsocial
    """,
    GEO: """
    lat latitude lon lng longitude gps gpsposition gpslatitude gpslongitude gpscoordinates coordinates coordinate coords geo geolocation latlon latlng latlong position location breitengrad
    laengengrad langengrad koordinaten latitud longitud coordenadas coordonnees coordinate широта долгота координаты 纬度 经度 緯度 経度 座標 위도 경도
    """,
    PRIVATE: """
    religion ethnicity nationality citizenship maritalstatus sexualorientation bloodtype disability politicalviews politicalaffiliation tradeunion salary wage gehalt ssid wifiname allergy allergies
    medication religionszugehorigkeit konfession familienstand staatsangehorigkeit staatsburgerschaft nacionalidad nationalite lieudenaissance geburtsort placeofbirth birthplace maidenname medicalcondition
    гражданство 国籍 国籍地区 宗教
    """,
}  # fmt: skip
_MEANINGS = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}
_OF_SOMEBODY = frozenset(_WORDS[ROLE].split()) | frozenset(_WORDS[LOGIN].split())
_NAMED = ("name", "names", "nom", "nombre", "nome", "naam", "namn", "navn", "nimi")
PLAIN_NAMES = frozenset(_NAMED) | {"nev", "jmeno", "имя", "isim", "ad", "tên"}
_COUNTED = frozenset(
    "no nr num number id ids nummer numero numer code ident identifier kennung cislo number no".split()
)
_GLUED = re.compile(r"(?P<role>\w{4,}?)(?:s|n|en)?(?P<end>nummer|nr|number|num|name|naam|namn|navn)")
_BY = frozenset("by von par por da av af door przez durch".split())
# Verbs of a person before "by"; behind other verbs ("sorted by", "caused by") a thing stands
_DONE = re.compile(
    r"(?:re)?(?:created|submitted|started|launched|owned|requested|modified|updated|edited|changed|approved|reviewed|reported|signed|assigned|written|opened|closed|prepared|uploaded|"
    r"triggered|committed|authored|recorded|verified|tested|checked|cancell?ed|locked|reserved|acknowledged|acked|resolved|invited|added|installed|maintained|posted|pushed|"
    r"deployed|initiated|logged|entered|filed|issued|ordered|shipped|booked|confirmed|managed|supervised|conducted|performed|collected|annotated|labell?ed|sponsored|run|sent|made|"
    r"off|erstellt|gestartet|genehmigt|gepruft|bearbeitet|geandert|unterzeichnet|cree|approuve|soumis|signe|lance|modifie|creado|aprobado|enviado|firmado|iniciado|creato|approvato|avviato|"
    r"criado|aprovado|skapad|godkand|oprettet|opprettet|gemaakt|goedgekeurd|utworzone|zatwierdzone)"
)
# Ends of labels under which no person stands although the last word is known: "process owner pid", "max user"
_HARMLESS = frozenset(
    "serviceaccountname serviceaccount filename hostname typename classname tokenname modelname kernelname opname layername devicename pathname username_field memorylocation filelocation "
    "cursorposition tokenposition startposition endposition".split()
)


@lru_cache(maxsize=1 << 14)
def meaning(label: str) -> str | None:
    """One of the meanings above; None for a label that says nothing about a person."""
    words = words_of(label)
    if words and len(words[-1]) > 4 and words[-1].endswith("s") and words[-1] not in _MEANINGS:
        words = [*words[:-1], words[-1][:-1]]
    while words and (words[-1].isdigit() or words[-1] in ("value", "field")):
        words = words[:-1]
    if not words:
        return None
    for first in range(max(0, len(words) - 5), len(words)):
        joined = "".join(words[first:])
        if joined in _HARMLESS:
            return None
        found = _MEANINGS.get(joined) or _MEANINGS.get(joined.rstrip("0123456789")) or _combined(words[first:], joined)
        if found:
            return found
    return _by_end(words[-1]) if words[-1] > "\u2fff" else None


def _by_end(word: str) -> str | None:
    """Chinese, Japanese and Korean write no blanks between words: the longest end that is known decides."""
    return next((_MEANINGS[word[at:]] for at in range(1, len(word) - 1) if word[at:] in _MEANINGS), None)


def _combined(words: list[str], joined: str) -> str | None:
    last = words[-1]
    if len(words) == 1:
        glued = _GLUED.fullmatch(joined)
        if glued and _MEANINGS.get(glued["role"]) in (ROLE, LOGIN):
            return NAME if glued["end"].startswith("na") else NUMBER
        return None
    if last in _BY:
        return LOGIN if len(words) == 2 and _DONE.fullmatch(words[0]) else None
    if len(words) > 2:
        return None
    if words[0] in _OF_SOMEBODY and last in _NAMED:
        return NAME
    if words[0] in _OF_SOMEBODY and last in _COUNTED:
        return LOGIN if words[0] == "user" else NUMBER
    if last in _COUNTED and _MEANINGS.get(words[0]) in (NUMBER, PHONE):
        return _MEANINGS[words[0]]
    return None


@lru_cache(maxsize=1 << 14)
def words_of(label: str) -> list[str]:
    return [folded(word) for word in _SEAM.split(label[-LONGEST:]) if word]


def folded(word: str) -> str:
    """Small letters without accents; other scripts as they are."""
    if word.isascii():
        return word.lower()
    return "".join(
        (unicodedata.normalize("NFKD", one)[0] if one < "\u0370" else one)
        for one in word.lower().translate(_PLAIN_LETTERS)
        if not unicodedata.combining(one)
    )
