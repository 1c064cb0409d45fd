"""Personal data by its context: users in paths and listings, hosts in logs, names, telephone numbers, bank accounts, serial numbers."""

import re
from collections.abc import Iterable, Iterator

from perfproof.triage.redaction import labels
from perfproof.triage.redaction.cjk_names import cjk_names
from perfproof.triage.redaction.labels import find_in_pairs, find_labelled
from perfproof.triage.redaction.literals import is_telling
from perfproof.triage.redaction.logins import logins_of_names
from perfproof.triage.redaction.name_likeness import SURE, likeness
from perfproof.triage.redaction.national_ids import find_numbers
from perfproof.triage.redaction.ordinary_words import CONTENTS, FOLDERS, NO_USER, is_ordinary
from perfproof.triage.redaction.personal_values import PERSON, WORD
from perfproof.triage.redaction.public_sites import is_public
from perfproof.triage.redaction.quiet import LONGEST_LINE, Hints, QuietLines
from perfproof.triage.redaction.record_formats import find_in_records
from perfproof.triage.redaction.views import View, encoded_lines

_U = r"(?P<user>[A-Za-z_][\w.-]{1,31})"
_H = r"(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)*)"
_NODE = r"(?P<host>(?=[\w.-]*(?:\d|\[\d))[A-Za-z][\w.-]*(?:\[[\d,-]+\])?)"  # a name with a number in it
_PERSON = rf"(?P<person>{WORD}(?:,? {WORD}){{1,3}})"
_PERSON2 = _PERSON.replace("<person>", "<person2>")
_LINE = r"^[ \t]*"
_FORMS = [  # what has to be there (small letters, one of them) and what it looks like
    # users
    ("@", rf"(?<![\w.@/:-])(?!buildd|mockbuild){_U}@(?P<host>[A-Za-z0-9][\w-]*(?:\.[\w-]+)*)(?=: ?[~/]|:\w[\w/.-]*\s*$| [~/\w.-]*\][$#]|:?[~/][^\s]*[$#])"),
    ("@", rf"\b(?:ssh|scp|sftp|rsync|sshfs|mosh|slogin|telnet|ssh-copy-id)\b[^\n|;]{{0,120}}?[\s]{_U}@(?P<host>[A-Za-z0-9][\w.-]*)"),
    ("@", rf"(?i:connect(?:ing|ed)? (?:to|as)|logging in to|login)\s+{_U}@(?P<host>[A-Za-z0-9][\w.-]*)"),
    ("=", r"(?i:uid|gid|euid|owner|groups)=\d+\((?P<user>[A-Za-z_][\w.-]{2,31})\)"),
    ("=", rf"\b(?i:UserId|User_?Name|MailUser|SLURM_JOB_USER|SUDO_USER|LOGNAME|owner|submitter|run_?by|started_?by|LSFUSER|PBS_O_LOGNAME)\s?=\s?[\"']?{_U}(?=[\s(\"',;]|$)"),
    (": ", rf"(?i:\b(?:user(?:name|_name)?|owner|login|logname|account|submitter))[\"']?\s?:\s[\"']?{_U}(?=[\"']?\s*(?:[,}})]|$))"),
    ("owner", rf"\bowner\s+{_U}(?=\s*$|\s+(?:node|host|group|job|pid|uid|gid)\b)"),
    ("@", rf"^@{_U}[,:]? (?i:please|can|could|thanks|fyi|ptal|any)\b"),
    ("cron|login:", rf"\bCRON\[\d+\]: \({_U}\)|\bLogin: (?P<user2>[A-Za-z_][\w.-]{{1,31}})\s+Name: {_PERSON}"),
    ("log|whoami", rf"(?i:log(?:ged|ging)? ?in as|whoami\)?(?:\s*(?:->|:|=))?):?\s+(?:(?P<host>[A-Za-z][\w-]*)\\{{1,2}})?{_U}(?=\s*$|[\s,;\"'])"),
    ("last login", r"Last login:.*? from (?P<host>[A-Za-z][\w.-]*)"),
    ("user|accepted|command|run as|su:|su to", rf"(?:(?:for invalid|closed for|opened for|[Ii]nvalid|[Uu]nknown) user|(?:Accepted|Failed) \w+ for(?: invalid user)?|su:? to|COMMAND by)\s+{_U}(?=[\s(:,.]|$)"),
    ("user|account|role", rf"\b(?i:user|account|role)\s+[\"']?{_U}[\"']?\s+(?i:(?:is |was )?(?:not (?:permitted|allowed|authori[sz]ed|found|in the)|unknown|denied|locked|expired)|does not exist|has exceeded|exceeded|cannot log)"),
    ("sudo|su |runuser|chown|chgrp|gosu", rf"(?<![\w-])(?:sudo|runuser)\s(?:-[A-Za-tv-z]+\s+|-\S*\s+)*?-\w*u ?{_U}(?=\s|$)|(?<![\w-])(?:su|gosu|runuser)\s+(?:-l?\s+|--login\s+)?(?P<user2>[A-Za-z_][\w.-]{{2,31}})(?=\s*(?:$|-c))|(?<![\w-])chown\s+(?:-\S+\s+)*(?P<user3>[A-Za-z_][\w.-]{{2,31}})(?=[:\s])"),
    (" by ", rf"\b(?i:created|started|submitted|launched|run|executed|triggered|owned|requested|modified|updated|locked|cancell?ed|killed|reserved|requeued|suspended|resumed|held|drained|rebooted|stopped|reboot|restart|shutdown) by (?:(?i:user) )?{_U}(?=\s+(?:on|at)\s+(?:node|host|machine|\S*\d)|\s*$)"),
    ("for |arn:", rf"\b[Pp]assword for {_U}(?=[\s:@]|$)|:user/(?:[\w/-]+/)?(?P<user2>[\w.@-]{{3,64}})(?=[\s\"',]|$)"),
    ("user", rf"\b(?:ansible|remote|ssh|db|login|become|mysql|deploy|run)_user\s*[=:]\s*[\"']?{_U}(?=[\"'\s,]|$)"),
    ("addr=", rf"\bctladdr=<?{_U}(?=[>\s(,@])"),
    ("|completed|running|failed|timeout|cancelled|pending|node_fail|out_of_memory", rf"^\d+[\w.]*\|[^|\n]*\|(?!proj|acc|gro?u?p|def){_U}\|(?:[^|\n]*\|){{0,3}}(?:COMPLETED|RUNNING|FAILED|TIMEOUT|CANCELLED[^|\n]*|PENDING|NODE_FAIL|OUT_OF_MEMORY)\|(?:[\d:.-]*\|)*(?:{_NODE})?"),
    ("user ", rf"\b(?:of|as|for|by|\() ?[Uu]ser {_U}(?=[\s.,):;]|$)|\buser (?P<user2>[A-Za-z_][\w.-]{{2,31}}) (?=(?:logged|has|started|connected|disconnected|ran|from|at)\b)"),
    ("_by|edby", rf"\b(?i:created|submitted|started|updated|modified|requested|assigned|owned|launched|triggered)_?[bB]y[\"']?\s*[:=]\s*[\"']?{_U}(?=[\"'\s,}}]|$)"),
    (" -u | -l |--user|u:", rf"(?<![\w-])(?:squeue|sacct|scancel|sprio|sshare|sreport|pkill|pgrep|ps|top|htop|lsof|crontab|quota|last)\s(?:[^\n|;&]*?\s)?(?:-u|-U|--user)[= ]?{_U}(?=\s|$)|(?<![\w-])ssh\s(?:[^\n|;&]*?\s)?-l ?(?P<user2>[A-Za-z_][\w.-]{{2,31}})(?=\s)|(?<![\w-])u:(?P<user3>[A-Za-z_][\w.-]{{2,31}}):[rwx-]+"),
    ("passwd: |id |finger |groups ", rf"^passwd: .{{0,40}}\b(?:for|of) {_U}\b|^(?:[^\n]{{0,60}}[$#>%] ?)?\s*(?:id|finger|groups) (?P<user2>[A-Za-z_][\w.-]{{2,31}})\s*$"),
    ("getpw|getgr", rf"\bget(?:pw|gr)(?:nam|ent)?(?:_r)?\([\"']?{_U}[\"']?\)"),
    ("hdfs://|abfs|webhdfs", r"(?:hdfs|abfss?|webhdfs)://[^/\s]*/user/(?P<user>[A-Za-z][\w.-]{2,31})(?=/|\s|$)"),
    ("wandb.ai/", r"(?<![\w.-])wandb\.ai/(?!site/|docs/|api/|authorize|login|home/)(?P<user>[A-Za-z0-9][\w.-]{1,40})(?=/)"),
    ("[", r"\s- (?P<user>[A-Za-z_][\w.@-]{1,40}) \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d"),  # the log of a web server
    (" as ", rf"\b(?i:connect(?:ed|ing)?|authenticat(?:ed|ing)|running|impersonating|signed in|login) as [\"']?{_U}(?=[\s\"',.;:]|$)"),
    (" submitted| logged | pushed| merged| commented| approved| cancelled", rf"(?:^|[\d\]Z] ){_U} (?:submitted|logged (?:in|out|on|off)|pushed|merged|commented|approved|cancelled)\b"),
    (":", rf"^\d+(?:\[\d*\])?\.\S+\s+\S+\s+{_U}\s+(?:\d+:)?\d\d:\d\d\S*\s+[RQHECBSFTW]\s"),  # qstat
    ("\t", rf"^\s+\d+\t{_PERSON}\s*$"),  # git shortlog
    ("maps|osm|openstreetmap|geo", r"(?:maps|osm|openstreetmap|geo)\S{0,80}?[=@/](?P<person>-?\d{1,3}\.\d{4,},-?\d{1,3}\.\d{4,})"),
    ("sudo", rf"\bsudo:\s+{_U}\s+:"),
    ("rw|r-|--", r"^[-dlcbps][rwxsStT-]{9}[.+@]?\s+\d+\s+(?P<user>[A-Za-z_][\w.-]{1,31})\s+(?P<user2>[A-Za-z_][\w.-]{1,31})\s+\d"),
    ("?|pts|tty", rf"^{_U}\s+\d+\s+\d+(?:\.\d+)?\s+\d+(?:\.\d+)?\s+\d+\s+\d+\s+(?:\?|pts|tty)"),
    (" ", rf"^\s*\d+\s+{_U}\s+(?:\d+|rt)\s+-?\d+\s+[\d.]+[gmtk]?\s"),
    ("r |pd |cg |cd |f |to |ca |s ", rf"^(?:\S+:)?\s*\d+(?:_\d+)?\s+\S+\s+\S+\s+{_U}\s+(?:R|PD|CG|CD|F|TO|CA|S)\s+[\d:-]+\s+\d+(?:\s+{_NODE})?"),
    ("pts/|tty", rf"(?<=[\s:]){_U}\s+(?:pts/\d+|tty\d+)\s"),
    ("pts|tty|:", rf"^{_U}\s+(?:pts/\d+|tty\d+|:\d+)\s+(?:(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)+)|\S)"),
    ("x:|*:|!:", rf"(?<![\w/]){_U}:[x*!]:(?!65534:)\d{{4,}}:\d+:(?P<person>[^:\n]*):"),
    ("user", rf"{_LINE}User\s+{_U}\s*$"),
    ("@", rf"(?<![\w.@/:-]){_U}@(?P<host>[A-Za-z0-9][\w.-]*) [~/][\w/.-]* [%$#>](?=\s|$)"),
    ("=", r"(?<![\w])(?i:uid|cn|samaccountname)=(?P<user>[A-Za-z][\w. -]{2,40}),\s*(?i:ou|dc|cn|o)="),
    ("login", rf"(?<![\w-])login\s+{_U}(?=\s+(?:password|account)\s)|^\s+login\s+(?P<user2>[A-Za-z_][\w.-]{{2,31}})\s*$"),  # netrc
    ("-u|-a|--", rf"\s(?:--auth|--user|--proxy-user|-u|-U)[= ][\"']?{_U}:(?=[^\s:/]{{3,}})"),
    ("(@", r"\(@(?P<user>[A-Za-z][\w.-]{2,31})\)"),
    ("/", rf"(?<![\w/.-]){_U} / (?=\0)"),  # beside a password
    ("user|passwd|chage", rf"(?<![\w-])(?:useradd|adduser|usermod|userdel|deluser|chage|gpasswd|passwd)\s(?:-{{1,2}}[\w-]+(?:\s+[^\s&|;-]\S*(?=\s+\S))?\s+)*{_U}(?=\s*(?:$|[&|;]))"),
    ("uid|user", r"\buid\s?=\s?[\"'](?P<user>[A-Za-z][\w.-]{2,31})[\"']|\buser(?:name)?\([\"'](?P<user2>[A-Za-z][\w.-]{2,31})[\"']\)"),
    ("invit|joined|left", rf"^{_PERSON} (?:is inviting you|invites you|has invited|invited you|(?:has )?(?:joined|left) the)"),
    ("は|是|为|은|는", r"(?:ログイン名|ログイン|ユーザー名|ユーザー|アカウント|用户名|用户|账号|帐号|登录名|사용자|계정|아이디)(?:は|是|为|은|는)[ \t]?(?P<user>[A-Za-z][\w.-]{2,31})"),
    ("all=", rf"^{_U}\s+ALL\s?="),  # sudoers
    ("*", rf"^{_U}\s+\*\s+\S+\s+\*\s*$"),  # of pppd
    (":::", rf"^{_U}:\d+:[0-9a-fA-F]{{32}}:"),
    ("\\", r"[\"'](?P<host>[A-Z][A-Z0-9-]{1,14})\\{1,2}(?P<user>[A-Za-z][\w.-]{2,31})[\"']"),
    ("[client.", rf"^\s*\[client\.(?:[a-z]+\.)?{_U}\]"),  # keys of Ceph
    ("-password", rf"^{_U}\s+(?:[\w-]+ == \S+,\s*)?[A-Z][\w-]*-Password\s*:?="),  # users of RADIUS
    (":", rf"^(?P<host>[A-Za-z][\w.-]*|\*):(?:\d{{2,5}}|\*):[\w.*-]+:{_U}:(?=\S+\s*$)"),  # pgpass
    ("]|:", r"^\[?(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?\]?,? +(?:@?(?P<speaker>[A-Za-z][\w.-]{2,31}):|<@?(?P<speaker2>[A-Za-z][\w.-]{2,31})>) (?=\S)"),  # of a chat
    (" - |]", r"^\[?\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?(?: -)? (?P<speaker>[A-Za-zÀ-ž][\w.-]{2,31}): "),
    (" at | am| pm", r"^(?P<speaker>[A-Za-zÀ-ž][\w.-]{2,31})(?: — (?:Today|Yesterday|\d)| {2,}\d{1,2}:\d\d [AP]M)"),
    ("$g", r"\$G[PNLA](?:GGA|GLL|RMC),(?:[\d.]*,)?(?:A,)?(?P<person>\d{4,5}\.\d+,[NS],\d{4,5}\.\d+,[EW])"),
    # hosts
    ("realm|domain|workgroup|search", r"(?i:\b(?:default_)?(?:realm|domain|workgroup|search))(?:\s*[=:]\s*|\s+)[\"']?(?P<host>[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+)(?=[\s\"',;]|$)"),
    ("node|host|domain|fqdn|addr|endpoint|computername", r"\b(?i:(?:SLURM\w*|PBS|LSB|job|batch|req|exc|alloc)?_?node_?list|batch_?host|node_?host_?name|node_?addr|alloc_?node\w*|(?:SLURM\w*)?(?:submit|launch)_?(?:host|node)\w*"
    r"|computername|userdomain|host_?name|fqdn|nodename|master_?addr|master_?host|rdzv[_-]?endpoint|NodeManagerHostname)\b[\"']?\s*[:=]\s*[\"']?(?P<host>[A-Za-z][\w.-]*(?:\[[\d,-]+\])?)"),
    ("host|node|machine|server", rf"\b(?i:on|from|for|to|at|of) (?i:host|node|machine|server)\s+[\"']?{_NODE}"),
    ("host|machine|computer", r"\b(?i:host|machine|computer)(?: name)?\s*[:=]\s*(?P<host>(?=[A-Z0-9-]*\d)[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)(?![\w.-])"),
    ("username", rf"^\s*(?:[a-z]+_)?username\s+{_U}\s*$"),
    ("uid", r"^\s*UID\s*=\s*(?P<user>[A-Za-z][\w.-]{2,31})\s*$"),  # of ODBC
    (", [", rf"^{_PERSON}, \[\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}[ ,]"),  # of a chat
    ("host|node|machine|server", r"\b(?i:host|node|hostname|machine|server)(?: name)?(?: is)?\s*[:=]?\s+[\"']?(?P<host>(?=[\w.-]*\d)(?=[\w.-]*[a-z]{2})[A-Za-z][\w.-]{4,})(?=[\s\"',:;)]|$)"),
    ("worker|peer|member|drain|resume|cordon|node|rank", rf"\b(?i:worker|peer|member|drain|resume|reboot|(?:un)?cordon|node)\s+{_NODE}(?=:\d+|\s+(?:at|is|lost|down|reason|not|state|unreachable|failed|has)\b|\s+reason=)"),
    ("ssh-remote", r"ssh-remote(?:\+|%2[Bb])(?P<host>[A-Za-z][\w.-]*)"),
    ("host", r"\bhost\s*[:=]\s*[\"'](?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)+)[\"']"),
    (" on ", rf"\b(?:STEP|JOB) [\d.]+ ON {_NODE}"),
    (": error|: warning|: info", rf"\b(?:srun|slurmstepd|slurmd|prun|mpirun|mpiexec): (?:error|warning|info): {_NODE}:"),
    ("[", rf"\[{_NODE}:\d+\]"),
    ("sid=", rf"\bSid={_NODE}:\d+"),
    (" error: ", rf"\berror: {_NODE}: (?:task|tasks|node|step)\b"),
    ("connect|timeout|timed out|refused|unreachable|failed|closed|lost", r"\b(?:connect(?:ed|ing|ion)?|timeout|timed out|refused|unreachable|failed|closed|lost)\b[^\n]{0,60}?\b(?:to|on|by|from) [\[(]?[\"']?(?P<host>(?=[\w.-]*\d)[A-Za-z][\w.-]*)"),
    (": ", rf"^{_NODE}:(?=\s+(?:\[\d{{4}}|\[\w|Permission denied|Connection |ssh|bash:|error|Error|warning|[A-Z][A-Z_]+=|Traceback|slurm))"),
    (":", r"(?:[A-Z][a-z]{2}\s+\d+ \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) (?P<host>[a-z][\w.-]*) (?:kernel|[\w./-]+\[\d+\]):"),
    (": [", r"^\s*(?:ok|changed|fatal|failed|skipping|unreachable|included|rescued|ignored): \[(?P<host>[A-Za-z][\w.-]*)(?= ->|\])"),
    ("<none>", r"\s\d{1,3}(?:\.\d{1,3}){3}\s+(?P<host>[A-Za-z][\w.-]*)\s+<none>"),
    (" assigned ", r"\bassigned \S+/\S+ to (?P<host>[A-Za-z][\w.-]*)"),
    (" on ", rf"\b(?i:run|runs|ran|job|jobs|process|running|executed|executing|started|failed|crashed|died|launched|hung|scheduled|(?:rank|worker|task|gpu)s? ?[\d,-]+) on {_NODE}(?=[\s,.;:)]|$)"),
    ("\"node|\"host|'node|'host", rf"[\"'](?:host|node|hostname|node_?name)[\"']\s*:\s*[\"']{_NODE}[\"']"),
    ("[0", r"(?<![\w.])(?P<host>[A-Za-z][A-Za-z0-9-]*\[0\d+(?:[-,]\d+)+\])"),
    ("://", rf"[a-z]://{_NODE}(?=[:/\s\"']|$)"),
    (" type nfs| nfs", r"(?:^|: )(?P<host>[A-Za-z][\w.-]*):/\S* (?:on )?/\S+ (?:type )?nfs"),
    ("linux", rf"^Linux {_H} \d+\.\d+"),
    ("slots", rf"^{_H}\s+slots\s?="),
    (".", r"^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}:[0-9a-f:]+)[ \t]+(?P<host>[A-Za-z][\w.-]*)(?:[ \t]+(?P<host2>[A-Za-z][\w.-]*))?[ \t]*$"),
    ("]:", r"\[(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)+)\]:\d+"),
    ("ssh|scp|ping|sftp|mosh|telnet|traceroute|dig|nslookup|host ", rf"(?<![\w./-])(?:ssh|mosh|sftp|ping6?|telnet|traceroute|tracepath|dig|nslookup|host|ssh-copy-id|ssh-keyscan)(?:\s+-[A-Za-z](?:\s+[\w./=-]+(?=\s))?)*\s+{_NODE}(?=[\s;|&]|$)"),
    ("scp|rsync", rf"(?<![\w./-])(?:scp|rsync)\s[^\n|;&]*?(?<=\s){_NODE}:(?=[~/.\w\s]|$)"),
    ("-w|--|-h", r"(?:(?:srun|#SBATCH|sbatch|salloc|scontrol|sinfo|squeue|pdsh|clush|pdcp|mpirun|mpiexec|prun)\b[^\n|;&]*?\s-w|--nodelist|--exclude|--host|-host|--hosts|--nodes-list|\s-H)[= ](?P<hosts>[A-Za-z][\w.-]*(?:\[[\d,-]+\])?(?::\d+)?(?:,[A-Za-z][\w.-]*(?::\d+)?)*)"),
    ("ssh-|ecdsa-", r"^(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)+)(?:,\S+)? (?:ssh-|ecdsa-)"),
    ("hostname", rf"{_LINE}HostName\s+(?P<host>\S+)"),
    ("macbook|iphone|ipad|imac|laptop|-pc|thinkpad", r"(?P<host>\b[A-Z][^\W\d_]+['’]?s[ -](?:MacBook|iPhone|iPad|iMac|Mac|PC|Laptop|laptop|ThinkPad|Galaxy)(?:[ -](?:Pro|Air|mini|Mini|\d+))*(?:\.\w+)?)"),
    ("desktop|laptop|win-|macbook", r"\b(?P<host>(?:DESKTOP|LAPTOP|WIN|MACBOOK)-[A-Z0-9]{6,})\b"),
    # people
    ("(+", rf"(?<!\w){_PERSON} \(\+\d"),  # and a telephone number
    ("=?", r"=\?[\w-]+\?[qQbB]\?(?P<person>[^?\s]{4,})\?=[\"']?\s*<"),  # the name in a mail's head
    ("@", rf"(?<!\w){_PERSON}[\"']?\s*(?:<[^<>@\s]+@|[(\[][^<>@\s]+@[\w-]+\.[a-z])"),
    ("ago)", rf"\({_PERSON}, \d+ (?:second|minute|hour|day|week|month|year)s?[^()\n]{{0,30}} ago\)"),
    ("mib|m)|gb", rf"(?<=[|\s]){_U}(?::[\w./-]{{1,30}})?\(\d+(?:M|MiB|MB|G|GB)\)"),  # gpustat
    ("wrote|schrieb|écrit|escrib|scritto|skrev|schreef|escreveu|написал", rf"\b(?:wrote|schrieb|a écrit|escribió|ha scritto|skrev|schreef|escreveu|написала?)[:]? {_PERSON}|{_PERSON2} (?:wrote|schrieb|a écrit|escribió|ha scritto|skrev|schreef|escreveu|написала?) ?:"),
    ("wrote:|schrieb|by: ", rf"^{_PERSON} (?:wrote|schrieb)\b|^(?:[A-Za-z][\w-]*-)?[Bb]y: (?P<person2>[A-Z][\w'’.-]+(?: [A-Z][\w'’.-]*){{1,3}})"),
    ("user ", rf"\b[Uu]ser {_PERSON}(?=\s+(?:logged|has|had|started|stopped|connected|disconnected|ran|created|deleted|is|was)\b)"),
    ("gps|geo|location|lat|lon|lng|coord", r"(?<![A-Za-z])(?i:gps|geo|location|(?:gps[ _]?)?lat(?:itude)?|(?:gps[ _]?)?lon(?:gitude)?|lng|coord(?:inate)?s?)[\"']?\s*[:=]?\s*[(\[]?(?P<person>-?\d{1,3}\.\d{4,})(?:\s*,\s*(?P<person2>-?\d{1,3}\.\d{4,}))?(?!\s?[munµ]?s\b|\d)"),
    ("dear|hi |hey |welcome|good |guten |ciao|salut|hello|hallo|liebe|bonjour|hola|regards|cheers|thanks|grüße|cordialement|saludos", rf"\b(?:Dear|Hi|Hey|Welcome(?: back)?,?|Good (?:morning|afternoon|evening),?|Guten (?:Tag|Morgen|Abend),?|Ciao|Salut|Hello|Hallo|Liebe|Lieber|Bonjour|Hola|(?i:regards|cheers|thanks|grüße|grüßen|cordialement|saludos),)\s+{_PERSON}"),
    ("regards|cheers|thanks|thx|sincerely|gruß|grüße|gruss|gruesse|cordialement|bientôt|saludos|saluti|atentamente|groet|hälsning|hilsen|pozdrawiam|abraço|obrigad|gracias|merci|danke|grazie|bedankt|tack|kiitos|dzięk|спасибо|wishes|lg,|vg,|mfg,|kr,|br,|best,",
     rf"(?:^|[.!?] )(?i:(?:[^\W\d_]+ ){{0,3}}(?:regards|cheers|thanks|thx|sincerely|gruß|grüßen?|gruss|gruesse|cordialement|bientôt|saludos|saluti|atentamente|groet(?:en|jes)?|hälsningar|hilsen|pozdrawiam|abraços?|obrigad[oa]|gracias|merci|danke|grazie|bedankt|tack|kiitos|dzięki|dziękuję|спасибо|wishes|lg|vg|mfg|kr|br|best)),? *[,–-] *(?P<person>{WORD}(?: {WORD}){{0,2}})[.!]?\s*$"),
    ("hi |hey |hello |dear |hallo |hola |bonjour |salut |ciao |liebe|thanks |danke |merci ", rf"^(?:Hi|Hey|Hello|Dear|Hallo|Hola|Bonjour|Salut|Ciao|Lieber?|Thanks|Danke|Merci) (?P<person>(?!(?:All|Team|Everyone|There|Folks|World|Both|Sir|Madam|Colleagues|Zusammen|Alle)\b){WORD})(?=[,!:]|\s*$)"),
    ("street|avenue|road|lane|drive|boulevard|square|court|place| st| ave| rd| blvd", r"(?<![\w.])(?P<person>\d{1,5}[a-zA-Z]? (?:[A-Z][\w'’.-]+ ){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Boulevard|Blvd|Square|Court|Place|Terrace|Crescent|Highway)\b\.?)"),
    # a house number and a street, or a street and a house number, beside a post code and a place
    (", ", r"(?<![\w.])(?P<person>\d{1,5}[A-Za-z]?,? (?:[A-Z][\w'’.-]+,? ){1,6}[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2})(?!\w)|(?<![\w.])(?P<person2>\d{1,5} (?:[A-Z0-9][\w'’.-]* ){1,4}[\w.]+,(?: [A-Z][\w'’.-]+,?){1,3} [A-Z]{2},? \d{5}(?:-\d{4})?)(?!\w)"
     r"|(?<![\w.])(?P<person3>(?:[^\W\d_]+\.? ){0,3}[A-ZÀ-Þ][^\W\d_]{2,}(?:[ -][^\W\d_]+){0,2}\.? (?:n[.°º]? ?)?\d{1,4} ?[a-zA-Z]?(?:/\d{1,4})?,(?: [\w.º°]+,| \d+\.º \w,)? ?(?:[A-Z]{1,2}-\d{4,6}|\d{5,6}|\d{2,3}[ -]\d{2,3}|\d{4} [A-Z]{2}) [A-ZÀ-ÞĀ-Ž][^\W\d_]{2,}(?: \([^\W\d_]+\))?)|(?<![\w.])(?P<person4>\d{1,4}(?: bis| ter)?,? (?:rue|avenue|place|boulevard|chemin|allée|impasse|quai|cours|route|square)(?: [\w'’-]+){1,6},? \d{5} [A-ZÀ-Þ][\w'’-]+)"),
    ("stra|weg|platz|gasse|allee|rue|calle|via |avenida|rua |piazza|place|avenue|street|address|adresse|anschrift|ship to|lives at", r"(?P<person>\b[A-ZÄÖÜ][\wäöüß.-]*(?:straße|strasse|str\.|weg|platz|gasse|allee|ring|damm|ufer) \d{1,4}[a-z]?(?:, (?:[A-Z]{1,2}-)?\d{4,5} [A-ZÄÖÜ]\w+)?)\b|\b(?P<person2>\d{1,4},? (?:rue|avenue|place) (?:\w+ ){0,3}[A-Z]\w+|(?:[Vv]ia|[Cc]alle|[Aa]venida|[Rr]ua|[Pp]iazza) (?:\w+ ){0,3}[A-Z][a-z]\w+,? \d{1,4})|(?i:\b(?:street|address|adresse|anschrift|ship to|lives at|wohnt))[\"']?\s*[:=]?\s*[\"']?(?P<person3>\d{1,5} [A-Z]\w+(?: [A-Z]\w+)*)"),
    ("@", rf"(?i:\b(?:slack|twitter|telegram|discord|github|gitlab|instagram|mastodon|handle|assignee|reviewer|ping|cc|thanks(?: to)?))[\"']?\s*[:=]?\s*[\"']?@{_U}(?![\w@/])"),
    ("\\", r"(?:^|(?i:user|account|login|owner|by|as|principal|name|domain)[\"']?\s*[:=]?\s*[\"']?)(?P<host>[A-Z][A-Z0-9-]{2,14})\\{1,2}(?P<user>[A-Za-z][\w.-]{2,31})(?=[\s\"',;)]|$)"),
    ("様|さん|氏|先生|殿|님|씨", "(?P<person>(?!皆|お客|神)[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]{2,6}) ?(?:様|さん|氏|先生|殿|님|씨)"),
    (":", r"[:：]\s*(?P<person>[А-ЯЁІЇЄ][а-яёіїє]+ [А-ЯЁІЇЄ][а-яёіїє]+(?: [А-ЯЁІЇЄ][а-яёіїє]+)?)(?=\s*(?:[,;.()]|$))"),
    (":", rf"^(?:\[[^\]\n]{{1,20}}\] ?|<?)(?P<speaker>{WORD})>?: (?=\S)"),
    ("from|to:|cc|von:|an:", rf"^(?i:from|to|b?cc|von|an): (?P<speaker>{WORD}(?:, {WORD}){{0,9}})\s*$"),
    # numbers
    ("-", r"(?<![\w.+-])(?P<person>(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4})(?![\w.-])"),  # social security
    ("card|visa|master|amex|karte|carte|tarjeta|cart|kart|kort|карт|卡|카드|カード", r"(?i:card|visa|mastercard|amex|kreditkarte|carte|tarjeta|cart[ãa]o|carta|karta|kart|kort|карта|карты|卡号|银行卡|카드|カード)[^\n\d]{0,20}(?P<person>\d{4}(?:[ -]?\d{4}){3}(?:\d{3})?|3[47]\d{2}[ -]?\d{6}[ -]?\d{5})(?!\w|\.\d)"),
    ("-", r"(?<![\w.+-])(?P<phone>\d{3}-\d{3}-\d{4})(?![\w.-])"),
    ("+", r"(?<![\w+.])(?P<phone>\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d[\d .-]{6,14}\d)(?!\w|\.\d)"),
    (")", r"(?<![\w.])(?P<phone>\(\d{3}\) ?\d{3}-\d{4})(?!\w)"),
    (" |iban|transfer|=|:|,", r"(?<!\w)(?P<iban>[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?)(?!\w)"),
    ("0|1|2|3|4|5|6|7|8|9", r"(?<![\w.-])(?P<card>\d{4}([ -])\d{4}\2\d{4}\2\d{4})(?![\w.-])"),
    ("serial|s/n|sn|tag", r"(?i:(?:system|chassis|board|product|disk|drive|gpu|module|node|device|part)?[ _-]?serial(?:[ _-]?(?:number|no|num|short|id))?|\bs/n|\bsn|service[ _-]?tag|asset[ _-]?tag|SerialNumber)"
    r"[\"'>]*\s*[:=#]{0,2}\s*[\"']?(?P<serial>(?=[A-Za-z-]*\d)[A-Z0-9][A-Z0-9-]{5,24})(?![\w.])"),
    ("id", r"(?i:machine[-_ ]?id|boot[-_ ]?id|(?:system|product|chassis|board|hardware|node|host)[-_ ]uuid|host_?id)[\"']?\W{1,4}(?P<uuid>[0-9a-f]{32}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})"),
    ("uuid:", r"^\s+UUID: (?P<uuid>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})"),
    ("guid", r"(?i:guid)\W{1,4}0x(?P<guid>[0-9a-f]{16})"),
]  # fmt: skip
_PATTERNS = tuple(re.compile(form, re.MULTILINE) for _, form in _FORMS)
_AT_START = tuple(form.startswith("^") for _, form in _FORMS)  # one line has one start: no need to search for it
_SECTION = re.compile(
    rf"(?<![\w-])(?:whoami|logname|id -un|echo \"?\$\{{?(?:USER|LOGNAME)\}}?\"?)[ \t]*\r?\n(?:[\w-]+\\{{1,2}})?(?P<user4>[A-Za-z_][\w.-]{{2,31}})[ \t]*(?:\r?\n|$)|^[^\n]{{0,40}}[$#%>] (?:hostname(?: -[a-z])?|uname -n)[ \t]*\r?\n(?P<host2>[A-Za-z][\w.-]*)[ \t]*(?:\r?\n|$)|<auth-user-pass>[ \t]*\r?\n(?P<user3>[A-Za-z_][\w.@-]{{2,40}})[ \t]*\r?\n|^Host[ \t]+(?P<host>[A-Za-z][\w.-]*)[ \t]*\r?\n[ \t]+(?:User|HostName|Port|IdentityFile|Proxy\w+|Forward\w+)\b|^-- ?\r?\n(?P<person3>{PERSON})[ \t]*(?:\r?\n|$)|(?i:regards|wishes|cheers|thanks|sincerely|grüßen|grüße|gruß|cordialement|saludos|saluti|salutations|groeten|hälsningar|hilsen|pozdrawiam|уважением|よろしくお願いします|^(?:lg|vg|mfg|kr|br|best|beste|cdlt|bises|thx|ciao)),?[ \t]*\r?\n(?:[ \t]*\r?\n)?(?P<person2>{WORD}(?: {WORD}){{0,3}})[ \t]*(?:\r?\n|$)",
    re.MULTILINE,
)
_SIGNED = re.compile(
    r"(?:egards|ishes|heers|hanks|ncerely|rüßen|rüße|ruß|ordialement|aludos|aluti|alutations|roeten|älsningar|ilsen|ozdrawiam|важением|します|^(?:[LV]G|[lv]g|M[Ff]G|mfg|KR|BR|Best|Beste|Cdlt|Bises|Thx|Ciao)),?[ \t]*\r?\n|^-- ?\r?$|^Host[ \t]|<auth-user-pass>|(?:whoami|logname|id -un|USER\}?|LOGNAME\}?|hostname(?: -[a-z])?|uname -n)\"?[ \t]*\r?\n",
    re.MULTILINE,
)
SPEAKS, UNLIKE = 0.5, -0.5  # likeness of a name before a colon behind a time, and of one in <…>
Found = tuple[int, int, str]
_OF_FORMS = QuietLines(Hints([hints.split("|") for hints, _ in _FORMS]))
_OF_LABELS = QuietLines(Hints(labels.HINTS))
# Folders of a cluster in which every user has one of their own
_ROOTS = re.compile(
    r"/(?:(?<![\w.\0]/)|(?=(?:users|homes?)/))(?P<root>scratch\d?|work\d?|fsx|storage|user|users|gpfs\w*|lustre\w*|pfs|beegfs|bgfs|nfs\w*|ceph\w*|weka\w*|vast|global"
    r"|p|projects?|proj|cluster|home\d?|homes|export|data/home|data/users?|mnt/(?:home|scratch|c/Users|nfs|lustre|beegfs|beeond|gpfs|fsx|users)|dev/shm|workspace/users|ptmp|glade"
    r"|afs|tigress|network/scratch|ibex|raid\d?|opt/users|hpc\w*|dss\w*|cfs|capstor|iopsstor|leonardo\w*|ocean|netscratch|n/\w+|oasis|anvil|vol\d*)"
    r"(?P<rest>(?:/[\w.@+-]+){1,8})"
)
_AFTER_TMP = re.compile(
    r"/tmp/(?:torchinductor|ray|pymp|tmux|ssh|vscode|jupyter|matplotlib|numba|triton|hsperfdata|vscode-remote|systemd-private|pip|claude|krb5cc|cuda)_(?P<user>[A-Za-z][\w.-]{2,31})(?=[/\s\"':]|$)"
)
_SHARED_MEMORY = re.compile(
    r"(?:nccl|torch|psm|pymp|ray|sem\.|nvshmem|ucx|vader|openmpi|vllm|cuda|loky|joblib|__KMP)[\w.-]*"
)
_TILDE = re.compile(r"(?<![\w/.)~])~(?P<user>[A-Za-z][\w.-]{2,31})(?=/)")
_NO_HOST = frozenset(
    "localhost device cpu cuda gpu host node name none null true false auto local unknown self info static side rank port login gateway gw head headnode master mgmt"
    " admin storage frontend server bastion jump proxy monitor compute scheduler controller router switch firewall cluster worker database db web mail".split()
)
_NO_NODE = re.compile(
    r"(?i)v\d.*|(?:rank|step|epoch|layer|gpu|cuda|cpu|iter|test|stage|fp|bf|int|float|uint|sm|h|a|v|x|py|cu|python|torch|level|version|v\d|worker|loss|stream|dim|mlx|eth|ib|mem)[_-]?\d*"
    r"|\d.*|.*\.(?:py|cpp|cc|cu|so|log|txt|json|h)|sha\d+.*|i?\d+|(?:torch|cuda|nccl|triton)\S*|x86_64.*|buildd.*|[A-Z]\d+"
)


def find_people(text: str, labelled: bool = True) -> Iterator[Found]:
    """Where personal data stands, and of which kind it is. `labelled`: also what a label tells."""
    if labelled:
        yield from find_in_pairs(text)
        yield from _moved(_OF_LABELS.search(text, find_labelled))
        for start, line in encoded_lines(text):
            if len(line) <= LONGEST_LINE:
                yield from _behind_escapes(start, View(line))
    yield from _moved(_OF_FORMS.search(text, _of_forms))
    yield from ((start, end, "user") for start, end in logins_of_names(text))
    yield from ((start, end, "person") for start, end in (*cjk_names(text), *find_in_records(text)))
    yield from find_numbers(text)
    if _SIGNED.search(text):
        for section in _SECTION.finditer(text):
            yield from _of_match(section)
    if "/" in text:
        yield from _in_paths(text)


def _moved(found: Iterable[tuple[int, Found]]) -> Iterator[Found]:
    return ((at + start, at + end, kind) for at, (start, end, kind) in found)


def _behind_escapes(at: int, view: View) -> Iterator[Found]:
    lines = _moved((*_OF_LABELS.search(view.text, find_labelled), *_OF_FORMS.search(view.text, _of_forms)))
    for start, end, kind in (*find_in_pairs(view.text), *lines):
        begin, stop = view.original(start, end)
        yield at + begin, at + stop, kind


def _of_forms(line: str, chosen: int) -> Iterator[Found]:
    for number, pattern in enumerate(_PATTERNS):
        if chosen >> number & 1:
            if not _AT_START[number]:
                for found in pattern.finditer(line):
                    yield from _of_match(found)
            elif first := pattern.match(line):
                yield from _of_match(first)


def _of_match(found: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    for group, value in found.groupdict().items():
        if not value or "\0" in value:
            continue
        kind = group.rstrip("234")
        if kind == "speaker":
            for one in re.finditer(r"[^\s,]+", value):
                timed = (found[0][0] in "[0123456789" or " — " in found[0]) and not one[0].isupper()
                least = UNLIKE if "<" in found[0] else SPEAKS
                if one[0].lower() not in NO_USER and likeness(one[0].partition("_")[0]) > (
                    least if timed else SURE - 1
                ):
                    kind = "person" if one[0][0].isupper() else "user"
                    yield found.start(group) + one.start(), found.start(group) + one.end(), kind
        elif kind == "hosts":
            for one in re.finditer(r"[A-Za-z][\w.-]*(?:\[[\d,-]+\])?", value):
                if _is_host(one[0]):
                    yield found.start(group) + one.start(), found.start(group) + one.end(), "host"
        elif _is_meant(kind, value, found):
            yield *found.span(group), kind


def _is_meant(kind: str, value: str, found: re.Match[str]) -> bool:
    if kind == "user":
        return (
            is_telling(value)
            and value.lower().rstrip(".-") not in NO_USER
            and not re.search(r"\.(?:[A-Z]|(?:py|sh|js|go|rs)$)", value)
            and not value.startswith(("user-", "host-"))
            and not is_ordinary(value)
        )
    if kind == "host":
        return _is_host(value)
    if kind == "person" and value.isupper() and not re.search(r"[\d:=]", found[0]):  # THE AUTHOR AND CONTRIBUTORS
        return False
    if kind == "iban":
        return _is_iban(value)
    if kind == "card":
        return _is_card(value)
    if kind == "phone" and re.fullmatch(r"\+?\d+\.\d+|\+\d{1,8}", value):
        return False
    if kind == "phone":
        return 7 <= sum(letter.isdigit() for letter in value) <= 15 and not re.fullmatch(r"\+?\d{1,4}", value)
    return True


def _is_host(value: str) -> bool:
    low = value.lower()
    if not is_telling(value) or low in _NO_HOST or is_public(low) or low.startswith(("host-", "address-")):
        return False
    if re.fullmatch(r"str|int|float|list|dict|tuple|bool|set|bytes|path|any|nvidia.*", low.rstrip(".")):
        return False
    if is_ordinary(value):  # --host ADDRESS, node_name = origin.name
        return False
    return not _NO_NODE.fullmatch(value) or re.fullmatch(r"(?:gpu|worker-?|node|cn|gn|n|dgx)\d{3,}", low) is not None


def _is_iban(value: str) -> bool:
    plain = value.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def _is_card(value: str) -> bool:
    digits = [int(letter) for letter in value if letter.isdigit()]
    total = sum(sum(divmod(digit * (2 if at % 2 else 1), 10)) for at, digit in enumerate(reversed(digits)))
    return total % 10 == 0 and digits[0] in (3, 4, 5, 6) and len(set(digits)) > 1


def _in_paths(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern in (_AFTER_TMP, _TILDE):
        for found in pattern.finditer(text):
            if is_telling(found["user"]) and found["user"].lower() not in NO_USER:
                yield *found.span("user"), "user"
    for found in _ROOTS.finditer(text):
        at, hidden = found.start("rest"), 0
        parts = found["rest"].split("/")[1:]
        for number, part in enumerate(parts):
            start = at + 1
            at = start + len(part)
            last = number == len(parts) - 1
            if hidden == 2 or (last and re.search(r"\.\w{1,5}$", part)):
                break
            if part.lower() in FOLDERS or re.fullmatch(
                r"[a-z]?\d{0,2}|(?:c?scratch|work|home|fs|data|proj|vol|project|pool|ceph)\d*", part.lower()
            ):
                if not hidden and part.lower() in CONTENTS:
                    break
                continue
            if hidden and (
                found["root"] in ("scratch", "work", "fsx", "storage", "user", "users", "home", "dev/shm") or last
            ):
                break
            if "\0" in part or not is_telling(part) or (found["root"] == "dev/shm" and _SHARED_MEMORY.match(part)):
                break
            end = start + len(re.sub(r"-ws-\w+$|\.(?:bak|old)$", "", part))
            hidden += 1
            yield start, end, "user"
            if re.fullmatch(r"\w{1,2}", parts[number + 1] if not last else ""):  # /home/volume/3/login
                hidden = 0
            elif found["root"] in ("scratch", "work", "fsx", "storage", "user", "users", "dev/shm", "export"):
                break
