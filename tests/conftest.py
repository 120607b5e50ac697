"""Settings of the whole suite: hypothesis draws the same examples in every run."""

from hypothesis import HealthCheck, Phase, settings

COMMON = settings(
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)

# `pytest --hypothesis-profile=thorough` draws many more, and others each time.
settings.register_profile("quick", COMMON, max_examples=150)
settings.register_profile("thorough", COMMON, max_examples=2000, derandomize=False)
settings.load_profile("quick")
