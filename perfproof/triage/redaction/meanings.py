"""What a label means, in any spelling: `lastName`, `LAST_NAME`, "Last name", "Nachname" and 姓 all stand before a name.

A label is cut into words, the words are joined without case and accents, and the longest end that is known decides. Roles
("patient"), endings ("number") and verbs ("approved by") combine, so that no list has to hold every label.
"""

import re
import unicodedata
from functools import lru_cache

from perfproof.triage.redaction.ordinary_words import is_ordinary

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
    presenti presente presentes presents anwesend anwesende aanwezig narvarande tilstede lasna obecni obecny pritomni jelen prezenti katilanlar присутствовали присутствуют присутні
    ονομα επωνυμο ονοματεπωνυμο hovaten hoten namalengkap jina الاسم שם नाम ชื่อ gecos
    """,
    LOGIN: """
    微信 微信号 qq qq号 钉钉 飞书 카카오톡 카톡 kakaotalk wechatid skypeid signal threema identity loginhint loggedinas loginas signedinas benutzerid userid kontoname учетнаязапись учётнаязапись учетка обліковийзапис 登录名 登录 登錄 登入 账户 帐户 ログイン ログインid ログイン名 アカウント 로그인 계정 아이디 taikhoan akun حساب
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
    signed signedby signedoffby unterschrift unterzeichner gezeichnet signe signataire firmado firmadopor firma firmato firmatoda assinado assinadopor assinatura ondertekend getekend underskrift allekirjoitus podpis podpisal podpisano alairas alairo imza imzalayan подпись подписал підпис 签字 签名 署名 서명
    onduty dutyofficer dutyengineer onshift shift shiftlead shiftleader diensthabender diensthabende bereitschaft schichtleiter schichtleiterin rufbereitschaft degarde astreinte deguardia guardia turnista reperibile deturno turno plantonista plantao dienstdoende vakthavende vakt paivystaja dyzurny dyzurna dyzur sluzba ugyeletes nobetci vardiya deserviciu
    handedoverby takenoverby receivedby preparedby writtenby reportedby checkedby performedby carriedoutby uberbracht ubergeben ubernommen ubergabe ubernahme durchgefuhrt gepruft erstellt realisepar effectuepar redigepar verifiepar remispar recupar realizadopor revisadopor entregadopor recibidopor elaboradopor redatto redattoda eseguito eseguitoda verificato consegnatoda ricevutoda
    executadopor entreguepor recebidopor uitgevoerd uitgevoerddoor opgesteld gecontroleerd utfort utfordav kontrollerad utfortaf sporzadzil sporzadzila wykonal wykonala przekazal przekazala odebral odebrala przyjal przyjela zglaszajacy zglaszajaca zglosil zglosila prowadzacy provedl predal prevzal vypracoval nahlasil keszitette vegezte atadta atvette bejelento hazirlayan
    teslimeden teslimalan yapan bildiren talepeden gorevli yetkili intocmit predat preluat verificat executat solicitant solicitante solicitanta demandeur demandeuse richiedente requerente aanvrager melder meldster melding anmalare bestallare hakija ilmoittaja wnioskodawca zadatel kerelmezo antragsteller antragstellerin melder erfasser erfasst sachverstandiger techniker technikerin
    technicien technicienne tecnico tecnica technicus tekniker teknikko technik szerelo teknisyen ingenieur ingenieurin ingeniero ingeniera ingegnere engenheiro engenheira inzynier muhendis teilnehmende participants participantes partecipanti deelnemers deltagare deltagere osallistujat uczestnicy ucastnici resztvevok katilimcilar участники учасники teamleiter chef cheffe jefe jefa capo chefe
    abonne titulaire intervenant intervenante auditeur auditor auditora revisor revisore controleur manutentore tecnicoesterno dezurny vedouci szef lider koordynator koordinator koordinatorin coordinador coordinadora coordinatore coordenador coordenadora ansvarlig saksbehandler handlaggare yllapitaja administrateur amministratore administrador beheerder spravce rendszergazda yonetici admincontact
    сдал сдала принял приняла дежурный дежурная выполнил выполнила проверил проверила составил составила заявитель инженер администратор начальник участник автор передал передала здав прийняв черговий виконав інженер відповідальний заявник υπευθυνη μηχανικος εβαλε παραλαβη nguoiphutrach nguoitruc nguoilienhe penanggungjawab petugas pelapor teknisi
    值班 交班 接班 经办 經辦 当番 当直 立会 당직 المسؤول الفني المناوب אחראי ผู้รับผิดชอบ ผู้ดูแล ผู้ติดต่อ คนติดต่อ जिम्मेदार
    support helpdesk relecteur relectrice reviseur auteurdurapport autoradelinforme revisore rezensent lektor lektorin korrektor granskare recenzent inceleyen 문의 문의처 책임 담당 联络人 聯絡人 問合せ先 お問い合わせ
    ответственный исполнитель контакт 維護人 维护人 負責人 负责人 聯絡人 联系人 值班 值班人 контактноелицо клиент пациент сотрудник получатель отправитель руководитель студент врач 担当 担当者 責任者 患者 社員 連絡先 负责人 联系人 员工 客户 客戶 病人
    담당자 책임자 환자 고객 직원 υπευθυνος
    """,
    PHONE: """
    โทร โทรศัพท์ มือถือ هاتف جوال تلفون נייד फोन मोबाइल
    ramal ramalexterno dahili anexo innentelefon melleklet klapa wewn доб добавочный внутренний внутр 内線 内线 内線番号 분机 分机 내선 내선번호 mobiel komorka komorkowy tel komora tlf telf tlfn tfno fono nohp kontaktnummer rueckruf ruckruf bereitschaftsnummer notfallnummer reperibilita
    phone telephone telefon telefone telefono mobile mobil mobilephone cell cellphone cellular handy fax tel mob gsm sms whatsapp rufnummer durchwahl telefoon puhelin portable
    celular movil telemovel telefonnummer handynummer mobilnummer telefonnr puhelinnumero telefoonnummer numerodetelefono numerodetelephone numeroditelefono callerid msisdn hotline pager
    cep ceptelefonu telefonszam телефон моб мобильный номертелефона 电话 电话号码 手机 手机号 手机号码 電話 電話番号 携帯 携帯電話 전화 전화번호 휴대폰 휴대전화 연락처 τηλεφωνο dienthoai sodienthoai sdt نومرالهاتف الهاتف טלפון
    """,
    PLACE: """
    address homeaddress postaladdress homepostaladdress streetaddress mailingaddress shippingaddress billingaddress privateaddress deliveryaddress residentialaddress registeredaddress street postaddress anschrift wohnanschrift privatanschrift lieferanschrift adresse privatadresse wohnadresse
    lieferadresse adressepostale adressepersonnelle domicile direccion direccionpostal domicilio indirizzo residenza endereco morada residencia adres huisadres woonadres adress hemadress bostadsadress postadresse bopael osoite kotiosoite zamieszkania adreszamieszkania adresazamieszkania adresa bydliste trvaleadresa lakcim lakohely cim ikamet evadresi domiciliu адрес адресса домашнийадрес адреса
    местожительства διευθυνση 住所 住址 地址 家庭住址 주소 자택주소 diachi alamat عنوان כתובת ที่อยู่ पता
    """,
    BIRTH: """
    gebdatum gebdat dob dateofbirth birthdate birthday bday born bornon geburtsdatum geburtstag geboren geborenam datedenaissance datenaissance neele nele fechadenacimiento fechanacimiento nacimiento
    datadinascita datadenascimento datanascimento geboortedatum fodselsdato fodelsedatum fodelsedag fodd fodt syntymaaika dataurodzenia datumnarozeni datumnarodenia szuletesiido szuletesidatum
    dogumtarihi датарождения датанародження 出生日期 出生年月 生日 生年月日 誕生日 생년월일 생일 ημερομηνιαγεννησης ngaysinh tanggallahir datanasterii
    """,
    NUMBER: """
    学号 学籍番号 学生番号 학번 사번 工号 员工号 员工编号 社員番号 職員番号 полис полисомс номерполиса омс 등록번호 환자번호 병록번호 卡号 银行卡号 病历号 住院号 患者番号 診察券番号 保険証番号 tesserasanitaria numerodehistoria historiaclinica numerodossier dossierpatient numerodedossier sicil sicilno sicilnumarasi kundennr kundennummer vertragsnummer policyno cardnr patientid patientno nrklienta numerklienta
    umcn jmbg licencenumber fuhrerscheinnr fuhrerscheinnummer licencja prawojazdy dowod dowodosobisty numerdowodu obcanskyprukaz op szemelyi szemelyiigazolvany ehliyet pasaport cartadidentita patente bilhetedeidentidade cartaodecidadao rg cnh
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
_PREPOSITIONS = frozenset(
    "for on at in to from im am zu zum zur fur von vom des der du de del della dello dei di da do dos para por per pour chez sur en na dla od ke pre voor van bij til pa fra for till hos av af icin в на от для к у з від για στο".split()
)
_DOERS = "人者员員師师자장원"  # the last letter of who does something: 交班人, 記録者, 점검자
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
    if words[-1] > "\u2fff":
        return _by_end(words[-1])
    first = next((at for at, word in enumerate(words) if at and word in _PREPOSITIONS), 0)
    if first:  # login in Zabbix, codice fiscale del tecnico
        return meaning(" ".join(words[:first]))
    if len(words) in (2, 3) and not is_ordinary(words[-1]):  # tecnico esterno; not "teacher model"
        return meaning(" ".join(words[:-1]))
    return None


def _by_end(word: str) -> str | None:
    """Chinese, Japanese and Korean write no blanks between words: the longest end that is known decides."""
    known = next((_MEANINGS[word[at:]] for at in range(1, len(word) - 1) if word[at:] in _MEANINGS), None)
    return known or (ROLE if len(word) > 1 and word[-1] in _DOERS else None)


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
    if words[0] in _OF_SOMEBODY and last in _COUNTED and words[0] != "client":
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
        (unicodedata.normalize("NFKD", one)[0] if one < "\u0400" or "\u1e00" <= one < "\u2000" else one)
        for one in word.lower().translate(_PLAIN_LETTERS)
        if not unicodedata.combining(one)
    )
