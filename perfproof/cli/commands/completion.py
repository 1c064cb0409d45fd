"""Print the shell script for Tab completion of commands and runs.

\b
bash:  echo 'eval "$(perfproof completion bash)"' >> ~/.bashrc
zsh:   echo 'eval "$(perfproof completion zsh)"' >> ~/.zshrc      (after compinit)
fish:  perfproof completion fish > ~/.config/fish/completions/perfproof.fish
"""

from typing import Annotated

from perfproof.cli.values import argument

PLACE = "Shell 1"  # in perfproof --help


def command(
    shell: Annotated[str, argument("SHELL", "Name of the shell: bash, zsh or fish.")],
) -> None:
    from perfproof.cli.completion import SHELLS, script
    from perfproof.core.errors import UsageError

    if shell not in SHELLS:
        raise UsageError(f"no completion for {shell!r}: choose {', '.join(SHELLS)}")
    print(script(shell), end="")
