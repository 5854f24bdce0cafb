from diagnostics.catalogue import pages_about
from diagnostics.catalogue.checklist import CHECKLIST


def test_every_entry_that_the_checklist_names_has_a_page() -> None:
    assert [name for check in CHECKLIST for name in check.entries if not pages_about(name)] == []
