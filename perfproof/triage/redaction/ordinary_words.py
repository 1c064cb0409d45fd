"""Ordinary words: a word that a manual writes in small letters is not taken for a login, whatever label stands before it.

The list is Python's own manual, which every installation carries; a word that the text itself uses as a noun counts, too.
"""

import re
from functools import cache, lru_cache

from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.literals import COMMONPLACE

_WORD = re.compile(r"(?<!\w)[a-z]{3,}(?!\w)")
_FORMS = (
    "s",
    "es",
    "d",
    "ed",
    "ing",
    "ly",
    "er",
    "ers",
    "or",
    "ors",
    "ship",
    "ful",
    "ness",
    "ment",
    "able",
    "ally",
    "ation",
    "ations",
)
_BEFORE = frozenset(
    "the a an of to and or with for no any all each this that is are be in as by if not new two".split()
)

# Words that logs write where a name or a login could stand
NO_NAME = frozenset(
    """
    corporation authority committee council community organization application services packaging meta openai anthropic mistral alibaba deepseek huggingface databricks cohere ibm apple mosaicml eleutherai stability tencent baidu xai facebook
    intel xeon amd epyc nvidia tesla geforce quadro amazon google microsoft linux ubuntu debian python tensor core cores memory cpu gpu cuda device driver kernel graph
    model api server service error warning info debug none null true false unknown default main test tests node job queue team group engineering research support
    university institute department inc ltd gmbh corp foundation project contributors authors developers the this that no not new all your you it we they if in on at of
    for and or with file files path data system systems user users admin root build release version name size type value key compute nsight transformer flash attention
    january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday est utc gmt
    list dict str int float bool any optional union callable sequence tuple set type self class path github gitlab docker kubernetes slurm torch triton pytorch jax numpy
    time date day hour minute second first last next previous begin end start stop read write open close load store send receive forward backward input output
    step epoch loss rank world batch layer head token tokens hidden page line table column row block grid thread warp stream event profiler trace chrome
    gateway playground assistant chatbot llm agent plugin studio workspace dashboard manager client collection example demo
    sans serif mono condensed font family major minor patch
    kolleginnen kollegen damen herren colleagues collègues compañeros colleghi colegas tutti todos tous allemaal alla alle folks customers kunden clients
    san santa gauss newton hilbert dijkstra bellman floyd warshall kruskal prim huffman fourier laplace bayes markov jacobi seidel cholesky householder
    hermite legendre chebyshev euler lagrange hamilton schrödinger navier stokes boltzmann poisson bernoulli levenshtein jaccard hamming winograd strassen
    karatsuba rabin karp knuth morris pratt boyer moore aho corasick viterbi kalman monte carlo metropolis hastings gibbs wiener nyquist shannon bloom adler
    nesterov adagrad sobel canny voronoi delaunay bezier mandelbrot hopper ampere blackwell turing volta pascal maxwell kepler fermi lovelace grace
    required optional missing invalid string object field string more information needed network software hardware arm64 amd64 aarch64 i386 noarch technologies labs bot automation company limited copyright license is are was
    """.split()
)  # fmt: skip
NO_USER = COMMONPLACE | NO_NAME | frozenset(
    """
    vllm sglang litellm ollama tgi triton tritonserver labelstudio label-studio mlflow wandb ray dask airflow prefect dagster argo flux kubeflow kserve seldon bentoml
    torchserve gradio streamlit superset metabase hive trino presto druid pinot flink pulsar nats mosquitto emqx traefik envoy caddy varnish memcache influxd loki tempo
    mimir thanos cortex fluentd fluentbit vector promtail filebeat heartbeat alert alerts sauvegarde litestream pgbouncer patroni barman etl cron airbyte fivetran dbt
    avail idle alloc allocated drain drained draining mix mixed maint resv down planned completing tracking
    git id a an defined cuda gpu cpu model enabled disabled yes off required present process code space message messages context content request requests query
    queries session sessions interface agent agents account accounts profile profiles settings setting mode guide level experience interaction role roles prompt prompts
    turn turns preference preferences function functions object objects program programs threads address types action actions events feedback ids information permissions
    permission stack pointer buffer buffers tables fields names manual site specified supplied provided installed facing friendly module modules library libraries script
    scripts services option options command commands buildd mockbuild builder runner shared per running total nobody localhost assistant human system tool person
    anonymous guest service-account serviceaccount operator student teacher author owner public private postgres mysql redis nginx apache www mlflow jenkins airflow ubuntu vagrant
    shadow mail crontab tty disk adm wheel staff video audio render kvm sudo lp news uucp proxy backup irc gnats messagebus sshd dbus polkitd _apt syslog tape dialout cdrom
    floppy plugdev games man sync utmp utempter ssh input netdev lxd munge ntp chrony rpc rpcuser nfsnobody sssd systemd-network systemd-resolve systemd-journal hpc
    wrote written ran sent made done gave given took taken got went came saw seen knew known found kept left lost held built won began begun chose chosen
    rocky centos fedora almalinux opensuse cloud-user azureuser opc core prom prometheus grafana alertmanager telegraf influx influxdb elastic elasticsearch kibana logstash zabbix nagios icinga puppet
    ansible salt terraform slurm slurmrestd ceph lustre minio rabbitmq kafka zookeeper consul vault nomad etcd haproxy keycloak ldap openldap gitlab-runner jupyterhub dask spark hadoop hdfs yarn hive mongodb
    mongo cassandra clickhouse memcached monitoring monitor svc restic borg netdata dnsmasq named postfix dovecot squid tomcat nexus registry harbor argocd installer deploy deployer netadmin sysadmin
    administrator supervisor sysdba tester testuser demo oracle node_exporter dcgm nvidia-persistenced trainee oauthtoken oauth2 token x-access-token port database dbname username password hostname preauth
    scheduler slurmctld slurmd systemd kubelet autoscaler controller dispatcher says said otherwise worker master daemon process parent child current other others same another someone anyone is was has can must should may will not and but from into this that there
    """.split()
)  # fmt: skip


FOLDERS = frozenset(
    """
    data dataset datasets shared share public common tmp temp logs log cache caches run runs out output outputs src code env envs venv conda
    miniconda3 anaconda3 lib lib64 bin opt etc var usr project projects proj user users home homes scratch work workspace workspaces group
    groups jusers sd models model ckpt ckpts checkpoints checkpoint train test val results result experiments app apps software sw modules
    spack containers images sif archive backup fast slow local site-packages jobs job slurm hub huggingface torch imagenet raw processed
    sweep sweeps ablation ablations bench benches profiling profiles traces nightly releases snapshot snapshots archives uploads downloads exports imports
    staff students student faculty guests people members employees interns dept lab labs storage lustre gpfs fs fs1 fs2 nfs mnt input inputs repo repos git build main wandb mlruns app1 u root user ubuntu stage staging pool
    """.split()
)


CONTENTS = frozenset(  # folders of things: nobody's folder is below
    "ckpt ckpts checkpoint checkpoints model models logs log runs run results out output outputs experiments sweep sweeps ablation ablations traces profiles cache conda"
    " envs env venv containers images modules".split()
)


@cache
def words_of_the_manual() -> frozenset[str]:
    try:
        from pydoc_data.topics import topics
    except ImportError:  # an installation without its manual
        return NO_USER - GIVEN_NAMES
    return (frozenset(_WORD.findall(" ".join(topics.values()))) | NO_USER) - GIVEN_NAMES


@lru_cache(maxsize=1 << 16)
def is_ordinary(word: str) -> bool:
    """Whether every part of a name is an ordinary word: `kernel_creator` is, `hkowalski` is not."""
    if re.search(r"\d", word):
        return False
    parts = [part for part in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", word) if part]
    return bool(parts) and all(len(part) < 3 or _is_known(part.lower()) for part in parts)


def _is_known(word: str) -> bool:
    """In the manual, also in another form: counts, counted, counting."""
    words = words_of_the_manual()
    return word in words or any(
        word.endswith(end)
        and len(word) > len(end) + 2
        and (word.removesuffix(end) in words or f"{word.removesuffix(end)}e" in words)
        for end in _FORMS
    )


def is_used_as_a_word(word: str, text: str) -> bool:
    """ "the cleanup", "of multiple": a login stands behind none of these, apart from a sentence or two."""
    low, wanted, uses = text.lower(), f" {word.lower()}", 0
    at = low.find(wanted)
    while at >= 0 and uses < 2:
        end = at + len(wanted)
        before = low[max(0, at - 6) : at].rpartition(" ")[2]
        uses += before in _BEFORE and not low[end : end + 1].isalnum()
        at = low.find(wanted, end)
    return uses >= 2
