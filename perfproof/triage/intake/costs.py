"""What the work costs today, from the price of a GPU hour, the power and the throughput of the form."""

from perfproof.calc.calculators import cost_per_token
from perfproof.calc.value_text import text
from perfproof.core.intake import Intake
from perfproof.triage.intake import quantities
from perfproof.triage.intake.plans import gpus_of


def costs_today(intake: Intake) -> list[str]:
    """Lines to print; none if the form does not hold what is needed."""
    baseline, budget = intake.baseline, intake.budget
    rate = quantities.throughput(baseline.throughput) if baseline.throughput else None
    gpus = gpus_of(intake)
    if rate is None or not rate[0] or not gpus:
        return []
    rent = quantities.price(budget.gpu_hour, "h") if budget.gpu_hour else None
    watts = quantities.watts(baseline.gpu_power) if baseline.gpu_power else None
    kwh = quantities.price(budget.electricity, "kWh") if budget.electricity else None
    share = (quantities.share(baseline.goodput) if baseline.goodput else None) or 1.0
    lines = []
    if rent is not None and rate[1] == "tokens":
        answer = cost_per_token.calculate(rate[0], watts, kwh, gpus=gpus, rent=rent)
        price = answer.get("price_per_mtok")
        assert isinstance(price, float)
        within = f", {text(price / share, '$')} per million within the goodput" if share < 1 else ""
        lines.append(
            f"{text(price, '$')} per million tokens: {gpus} x {budget.gpu_hour}, {baseline.throughput}{within}"
        )
    if watts:
        lines.append(f"{rate[0] / (gpus * watts):.3g} {rate[1]} per joule: {gpus} x {baseline.gpu_power}")
    return lines
