import math

import pytest

from trainer.algorithms.kl_controller import KLController
from trainer.config.algorithms import make_config


def ppo(**values):
    """A step of 64 episodes."""
    return make_config("ppo", {"per_device_train_batch_size": 64, **values})


def test_a_fixed_coefficient_is_that_of_the_configuration_in_force():
    controller = KLController(ppo(kl_coef=0.05))
    controller.update(1000.0, ppo(kl_coef=0.05))
    assert controller.coef(ppo(kl_coef=0.05)) == 0.05
    assert controller.coef(ppo(kl_coef=0.5)) == 0.5


@pytest.mark.parametrize(
    ("kl", "error"),
    [(6.0, 0.0), (6.6, 0.1), (5.4, -0.1), (7.2, 0.2), (7.3, 0.2), (600.0, 0.2), (4.8, -0.2), (4.7, -0.2), (-3.0, -0.2)],
)
def test_the_coefficient_follows_the_clipped_proportional_error(kl, error):
    config = ppo(adap_kl_ctrl=True, init_kl_coef=0.2, target=6.0, horizon=10000)
    controller = KLController(config)
    controller.update(kl, config)
    assert controller.coef(config) == pytest.approx(0.2 * (1 + error * 64 / 10000), rel=1e-12)


def test_the_steering_starts_from_kl_coef_where_no_other_start_is_given():
    config = ppo(adap_kl_ctrl=True, kl_coef=0.07)
    assert KLController(config).coef(config) == 0.07


def test_over_one_horizon_of_episodes_the_coefficient_moves_by_about_a_fifth():
    config = ppo(adap_kl_ctrl=True, init_kl_coef=1.0, horizon=6400)
    controller = KLController(config)
    for _ in range(100):
        controller.update(math.inf, config)
    assert controller.coef(config) == pytest.approx(math.exp(0.2), rel=0.001)


def test_a_kl_that_is_no_number_moves_nothing():
    config = ppo(adap_kl_ctrl=True, init_kl_coef=0.2)
    controller = KLController(config)
    controller.update(math.nan, config)
    assert controller.coef(config) == 0.2


def test_a_saved_controller_goes_on_where_it_was():
    config = ppo(adap_kl_ctrl=True, init_kl_coef=0.2)
    first, second = KLController(config), KLController(config)
    first.update(20.0, config)
    second.load_state_dict(first.state_dict())
    assert second.coef(config) == first.coef(config) != 0.2
