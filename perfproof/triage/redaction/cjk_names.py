"""Names of Chinese, Japanese and Korean people beside a title or a way to reach them: 황보지훈 선임, 王小明 手机 …

A name has two to four letters and begins with a family name, of which Chinese and Korean have few.
"""

import re
from collections.abc import Iterator

_CHINESE = (
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋"
    "付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯温康施文牛樊葛邢安齐齊易乔喬伍庞庞颜顏倪庄莊聂聶章鲁魯岳翟殷詹申欧歐耿关關兰蘭焦俞左柳甘祝包宁寧尚符舒阮柯纪紀梅童凌毕畢单單季裴霍涂成苗谷盛曲翁冉骆"
)
_CHINESE_DOUBLE = "欧阳|歐陽|司马|司馬|上官|诸葛|諸葛|司徒|东方|夏侯|慕容|皇甫|尉迟|公孙|令狐|宇文|长孙|端木|南宫|独孤"
_KOREAN = "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국"
_KOREAN_DOUBLE = "남궁|황보|제갈|선우|독고|사공|서문|동방"
_NAME = rf"(?:(?:{_CHINESE_DOUBLE})[\u4e00-\u9fff]{{1,2}}|[{_CHINESE}][\u4e00-\u9fff]{{1,2}}|(?:{_KOREAN_DOUBLE})[가-힣]{{1,2}}|[{_KOREAN}][가-힣]{{2}})"
_REACHED = r"微信|电话|手机|邮箱|电邮|内线|分机|[Qq][Qq]|電話|手機|携帯|内線|メール|전화|휴대폰|연락처|내선|이메일|메일|\+?\d{2,4}[- ]?\d{3,4}[- ]?\d{4}|[\w.+-]+@"
_TITLE = r"先生|女士|小姐|经理|工程师|老师|主任|总监|组长|部长|科长|博士|教授|同学|同事|師傅|师傅|部長|課長|係長|主任|室長|店長|博士|教授|선임|책임|수석|팀장|과장|대리|부장|사원|주임|차장|이사|실장|본부장|연구원|매니저|교수|박사|엔지니어"
_BESIDE = re.compile(
    rf"(?<![\u4e00-\u9fff가-힣])(?P<name>{_NAME})(?=[ 　]?(?:{_TITLE})|[ 　（(,，、:：]{{1,3}}(?:{_REACHED}|\0))"
)
_LABELLED = re.compile(
    r"(?:氏名|姓名|お?名前|성명|이름|성함|担当者?|联系人|負責人|负责人)[ 　]{1,2}(?P<name>[\u4e00-\u9fff\u3040-\u30ff가-힣]{2,5}(?:[ 　][\u4e00-\u9fff\u3040-\u30ff가-힣]{1,3})?)(?=[ 　]|\s*$)",
    re.MULTILINE,
)
_GLANCE = re.compile("[\u4e00-\u9fff\uac00-\ud7af]")


def cjk_names(text: str) -> Iterator[tuple[int, int]]:
    """Where such a name stands."""
    if _GLANCE.search(text):
        for pattern in (_BESIDE, _LABELLED):
            yield from (found.span("name") for found in pattern.finditer(text))
