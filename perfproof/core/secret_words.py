"""Words for a password, a key or a token in other languages than English: expressions in small letters."""

import re

_PASSWORDS = """
passwort passwörter kennwort kennwörter mots.de.passe contraseñas senhas losungswort zugangscode geheimzahl mot.de.passe mdp phrase.secrète code.secret contrase(?:ñ|n)a contrasenya contrasinal pasahitza palavra.passe palavra.chave
senha parola(?:.d['’]ordine|.segreta)? clave.secreta codice.segreto wachtwoord wagwoord l(?:ö|o)senord adgangskode kodeord passord salasana salas(?:õ|o)na parool parole.de.acces
slapta(?:ž|z)odis lykilor(?:ð|d) hasło haslo heslo jelsz(?:ó|o) (?:ş|s)ifre parol(?:ă|a) lozinka geslo fjal(?:ë|e)kalimi cyfrinair kata.sandi kata.laluan nenosiri mật.khẩu
пароль парола лозинка κωδικός(?:.πρόσβασης)? κωδικος סיסמה סיסמא كلمة.المرور كلمة.السر رمز.عبور पासवर्ड รหัสผ่าน
密码 密碼 口令 パスワード 暗証番号 비밀번호 비번 암호 geheimnis losung
"""
_KEYS = """
(?:api|zugangs|geheim|privat(?:er)?|krypto).?schl(?:ü|u|ue)ssel zugriffstoken cl(?:é|e).api cl(?:é|e).secr(?:è|e)te cl(?:é|e).priv(?:é|e)e cl(?:é|e).d['’]acc(?:è|e)s cl(?:é|e).d['’]api jeton(?:.d['’]acc(?:è|e)s)?
(?:clave|llave|chave|chiave).api (?:clave|llave|chave|chiave).(?:de|d['’]).?(?:api|acceso|acesso|accesso|licencia) (?:clave|llave|chave|chiave).(?:secreta|segreta|privada|privata) segreto segredo secreto
api.sleutel geheime.sleutel tajny.klucz klucz.api (?:секретный|закрытый|приватный|api).ключ токен(?:.доступа)? секрет 密钥 密鑰 私钥 秘钥 令牌 秘密鍵 apiキー アクセスキー シークレット トークン 비밀키 api.?키 토큰 액세스.?키
"""


def _expression(words: str) -> str:
    """A dot stands for what may be between two words: a blank, a line, a dash or nothing."""
    return "|".join(word.replace(".?", "\1").replace(".", "[ _-]?").replace("\1", "[ _-]?") for word in words.split())


def _hint(word: str) -> str:
    """The longest part of an expression that stands in every text it matches."""
    return max(re.split(r"\(\?:[^()]*(?:\([^()]*\)[^()]*)*\)\??|.\?|[.()|\[\]]|['’]", word), key=len)


FOREIGN_HINTS = tuple(
    sorted(
        {hint for word in (_PASSWORDS + _KEYS).split() if len(hint := _hint(word)) > 1}
        | {"clave", "llave", "chave", "chiave"}
    )
)
FOREIGN_PASSWORDS, FOREIGN_KEYS = _expression(_PASSWORDS), _expression(_KEYS)
