"""Privet: publish a table together with its decision tree; the same tree grows again from it.

    import privet

    release = privet.publish(frame, target="income", sensitive="occupation", k=10, l=2)
    release.tree, release.data, release.claims
    fingerprint = release.save("adult-release")
    assert privet.verify("adult-release", fingerprint)

Names are loaded when they are first used, so that importing Privet costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from privet.version import __version__

if TYPE_CHECKING:
    from privet.calls import advise, alike, check, convert, explore, grow, propose
    from privet.engine import MemoryEngine, larger_than_memory, on_spark
    from privet.errors import PrivetError
    from privet.files import read_table, write_table
    from privet.files.frames import frame_of, table_of
    from privet.mechanism.substitution import Substitution
    from privet.noise.framework import NoiseFramework
    from privet.noise.parts.class_noise import ClassNoise
    from privet.noise.parts.detective import Detective
    from privet.noise.parts.influential import InfluentialNoise
    from privet.noise.parts.innocent import InnocentNoise
    from privet.noise.settings import NoiseSettings
    from privet.noise_pipeline import add_noise
    from privet.parties import Codebook, ProjectKey, decode, decode_tree, join, mask, stack
    from privet.pipeline import anonymise, publish, substitute
    from privet.release import Release, read_release, verify
    from privet.release.verify_with import verify_with
    from privet.release_calls import measure_release, predict, recode, write_report
    from privet.schema import Kind, Role, Schema
    from privet.substitution import RandomSubstitution, grow_from_perturbed, rebuild
    from privet.table import Table
    from privet.tree import Grower, Tree
    from privet.tree.compare import compare
    from privet.tree.estimators import TreeClassifier, TreeRegressor
    from privet.tree.exchange.from_sklearn import from_sklearn
    from privet.tree.exchange.pmml_read import read_pmml
    from privet.tree.exchange.pmml_write import write_pmml
    from privet.tree.exchange.read import read_tree
    from privet.tree.exchange.write import write_tree
    from privet.tree.similar import tree_likeness

_HOMES = {
    "ClassNoise": "privet.noise.parts.class_noise",
    "Codebook": "privet.parties",
    "Detective": "privet.noise.parts.detective",
    "Grower": "privet.tree",
    "InfluentialNoise": "privet.noise.parts.influential",
    "InnocentNoise": "privet.noise.parts.innocent",
    "Kind": "privet.schema",
    "MemoryEngine": "privet.engine",
    "NoiseFramework": "privet.noise.framework",
    "NoiseSettings": "privet.noise.settings",
    "PrivetError": "privet.errors",
    "ProjectKey": "privet.parties",
    "RandomSubstitution": "privet.substitution",
    "Release": "privet.release",
    "Role": "privet.schema",
    "Schema": "privet.schema",
    "Substitution": "privet.mechanism.substitution",
    "Table": "privet.table",
    "Tree": "privet.tree",
    "TreeClassifier": "privet.tree.estimators",
    "TreeRegressor": "privet.tree.estimators",
    "add_noise": "privet.noise_pipeline",
    "advise": "privet.calls",
    "alike": "privet.calls",
    "anonymise": "privet.pipeline",
    "check": "privet.calls",
    "compare": "privet.tree.compare",
    "convert": "privet.calls",
    "decode": "privet.parties",
    "decode_tree": "privet.parties",
    "explore": "privet.calls",
    "frame_of": "privet.files.frames",
    "from_sklearn": "privet.tree.exchange.from_sklearn",
    "grow": "privet.calls",
    "grow_from_perturbed": "privet.substitution",
    "join": "privet.parties",
    "larger_than_memory": "privet.engine",
    "on_spark": "privet.engine",
    "mask": "privet.parties",
    "measure_release": "privet.release_calls",
    "predict": "privet.release_calls",
    "propose": "privet.calls",
    "publish": "privet.pipeline",
    "read_pmml": "privet.tree.exchange.pmml_read",
    "read_release": "privet.release",
    "read_table": "privet.files",
    "read_tree": "privet.tree.exchange.read",
    "rebuild": "privet.substitution",
    "recode": "privet.release_calls",
    "stack": "privet.parties",
    "substitute": "privet.pipeline",
    "table_of": "privet.files.frames",
    "tree_likeness": "privet.tree.similar",
    "verify": "privet.release",
    "verify_with": "privet.release.verify_with",
    "write_pmml": "privet.tree.exchange.pmml_write",
    "write_report": "privet.release_calls",
    "write_table": "privet.files",
    "write_tree": "privet.tree.exchange.write",
}

__all__ = [
    "ClassNoise",
    "Codebook",
    "Detective",
    "Grower",
    "InfluentialNoise",
    "InnocentNoise",
    "Kind",
    "MemoryEngine",
    "NoiseFramework",
    "NoiseSettings",
    "PrivetError",
    "ProjectKey",
    "RandomSubstitution",
    "Release",
    "Role",
    "Schema",
    "Substitution",
    "Table",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "add_noise",
    "advise",
    "alike",
    "anonymise",
    "check",
    "compare",
    "convert",
    "decode",
    "decode_tree",
    "explore",
    "frame_of",
    "from_sklearn",
    "grow",
    "grow_from_perturbed",
    "join",
    "larger_than_memory",
    "mask",
    "measure_release",
    "on_spark",
    "predict",
    "propose",
    "publish",
    "read_pmml",
    "read_release",
    "read_table",
    "read_tree",
    "rebuild",
    "recode",
    "stack",
    "substitute",
    "table_of",
    "tree_likeness",
    "verify",
    "verify_with",
    "write_pmml",
    "write_report",
    "write_table",
    "write_tree",
]


_PACKAGES = ("attack", "datasets", "measure")  # with calls of their own: privet.attack.by_bayes


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"privet.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'privet' has no attribute '{name}'")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
