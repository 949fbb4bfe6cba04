"""One feature, one folder per layer; small folders, files and classes; no import cycles."""

from tests.project import structure


def test_feature_has_at_most_one_folder_in_each_layer() -> None:
    homes = structure.count_feature_folders()
    assert all(count <= 1 for layers in homes.values() for count in layers.values())
    assert all(layers["bot"] == 1 for layers in homes.values())


def test_core_and_features_import_no_other_feature() -> None:
    assert structure.find_imports_between_features() == []


def test_modules_have_no_import_cycle() -> None:
    assert structure.find_cycles() == []


def test_folder_has_at_most_25_files() -> None:
    assert {folder for folder, count in structure.count_files().items() if count > 25} == set()


def test_file_has_at_most_500_lines() -> None:
    assert {path for path, count in structure.count_lines().items() if count > 500} == set()


def test_file_name_is_used_once_or_names_role() -> None:
    assert structure.find_repeated_names() == {}


def test_class_of_store_has_at_most_30_public_methods() -> None:
    assert max(structure.count_store_methods().values()) <= 30


def test_product_has_at_most_65500_lines_in_430_files() -> None:
    # 63,440 lines after the last refactoring; the rest are features that came later.
    lines = structure.count_lines()
    assert (sum(lines.values()) <= 65_500, len(lines) <= 430) == (True, True)
