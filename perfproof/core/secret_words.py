"""Words for a password, a key or a token in other languages than English: expressions in small letters."""

_PASSWORDS = """
passwort kennwort losungswort zugangscode geheimzahl mot.de.passe mdp phrase.secrète code.secret contrase(?:ñ|n)a contrasenya contrasinal pasahitza palavra.passe palavra.chave
senha parola(?:.d['’]ordine|.segreta)? clave.secreta codice.segreto wachtwoord wagwoord l(?:ö|o)senord adgangskode kodeord passord salasana salas(?:õ|o)na parool parole.de.acces
slapta(?:ž|z)odis lykilor(?:ð|d) has(?:ł|l)o heslo jelsz(?:ó|o) (?:ş|s)ifre(?:si)? parol(?:ă|a) lozinka geslo fjal(?:ë|e)kalimi cyfrinair kata.sandi kata.laluan nenosiri mật.khẩu
пароль парола лозинка κωδικός(?:.πρόσβασης)? κωδικος סיסמה סיסמא كلمة.المرور كلمة.السر رمز.عبور पासवर्ड รหัสผ่าน
密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 geheimnis losung
"""
_KEYS = """
(?:api|zugangs|geheim|privat(?:er)?|krypto).?schl(?:ü|u|ue)ssel zugriffstoken cl(?:é|e).(?:api|secr(?:è|e)te|priv(?:é|e)e|d['’]api|d['’]acc(?:è|e)s) jeton(?:.d['’]acc(?:è|e)s)?
(?:clave|llave|chave|chiave).(?:api|secreta|secreta|segreta|privada|privata|de.api|de.acceso|de.acesso|d['’]accesso|de.licencia) (?:ficha|s(?:í|i)mbolo).de.acceso segreto segredo secreto
(?:api.?)?sleutel tajny.klucz klucz.api (?:секретный|закрытый|приватный|api).?ключ токен(?:.доступа)? секрет 密钥 密鑰 私钥 秘钥 令牌 秘密鍵 apiキー アクセスキー シークレット トークン 비밀키 api.?키 토큰 액세스.?키
"""


def _expression(words: str) -> str:
    """A dot stands for what may be between two words: a blank, a line, a dash or nothing."""
    return "|".join(word.replace(".?", "\1").replace(".", "[ _-]?").replace("\1", "[ _-]?") for word in words.split())


FOREIGN_PASSWORDS, FOREIGN_KEYS = _expression(_PASSWORDS), _expression(_KEYS)
