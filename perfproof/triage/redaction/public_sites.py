"""Sites that every installation mentions: their names say nothing about whose machine it is."""

import re

_SITES = """
databricks.com azureedge.net zoom.us
acm.org almalinux.org alpinelinux.org amazonaws.com amd.com anaconda.com anaconda.org ansible.com anthropic.com
apache.org apple.com archive.org archlinux.org arm.com arxiv.org azure.com bitbucket.org centos.org ceph.io
cloudflare.com cmake.org cohere.com conda.io crates.io creativecommons.org curl.se debian.org dell.com discord.com
docker.com docker.io doi.org elastic.co example.com example.net example.org fedoraproject.org firebase.com fly.io
getpostman.com ghcr.io github.com github.io githubusercontent.com gitlab.com gnu.org golang.org google.com
googleapis.com grafana.com grafana.net groq.com hashicorp.com hc-ping.com healthchecks.io heroku.com hex.tech
hpe.com huggingface.co iana.org ibm.com ieee.org ietf.org intel.com jenkins.io jetbrains.com json-schema.org
kernel.org kubernetes.io lenovo.com letsencrypt.org llvm.org lustre.org mathworks.com maven.apache.org maven.org
mellanox.com microsoft.com mlflow.org mongodb.com mozilla.org mpi-forum.org mysql.com netlify.com nodejs.org
npmjs.com npmjs.org ntp.org numpy.org nvcr.io nvidia.com open-mpi.org openai.com openmp.org opensearch.org
opensource.org openstack.org opensuse.org oracle.com postgresql.org postman.com prometheus.io puppet.com pypi.org
python.org pythonhosted.org pytorch.org quay.io ray.io readthedocs.io redhat.com redis.io rockylinux.org rust-
lang.org schedmd.com scipy.org sendgrid.com sentry.io shields.io slack.com sourceforge.net spring.io sqlalche.me
sqlite.org stackexchange.com stackoverflow.com stripe.com supermicro.com suse.com telegram.org tensorflow.org
terraform.io test.com twilio.com ubuntu.com unicode.org vercel.com visualstudio.com vmware.com w3.org wandb.ai
wikipedia.org yaml.org yarnpkg.com
"""
_PROVIDERS = """
gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com proton.me protonmail.com gmx.de
gmx.net web.de qq.com 163.com 126.com foxmail.com naver.com daum.net mail.ru yandex.ru aol.com fastmail.com zoho.com
t-online.de orange.fr
"""
PUBLIC_SITES = frozenset(_SITES.split() + _PROVIDERS.split())


_TENANTS = re.compile(  # the first label is a customer's
    r"(?!(?:www|api|docs|status|hooks|login|app|us|eu)\.)[\w-]+\.(?:openai\.azure\.com|cloud\.databricks\.com|[\w-]+\.[\w-]+\.(?:rds|cache|es|eks)\.amazonaws\.com|[\w.-]*elb\.amazonaws\.com"
    r"|okta\.com|atlassian\.net|slack\.com|zendesk\.com|salesforce\.com|sharepoint\.com|service-now\.com|azurecr\.io|azurewebsites\.net)"
)


def is_public(host: str) -> bool:
    """Whether a host is one of these sites, or below one."""
    if _TENANTS.fullmatch(host.lower()):
        return False
    parts = host.lower().split(".")
    return any(".".join(parts[at:]) in PUBLIC_SITES for at in range(len(parts)))
