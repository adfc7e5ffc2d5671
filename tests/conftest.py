"""What all rooms' tests share: a slow or busy machine is no reason to fail, so no example has a
deadline of its own.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")
