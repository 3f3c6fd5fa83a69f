"""What the user knows of names: the file entities.yaml."""

from typing import Self

from pydantic import Field, model_validator

from graphrag_lite.settings.values import SettingsSection, Several


class KnownNames(SettingsSection):
    """What the user knows of names: the file entities.yaml, beside the settings."""

    same: list[Several] = Field([])
    different: list[Several] = Field([])
    title: dict[str, str] = Field({})
    type: dict[str, str] = Field({})
    types: dict[str, str] = Field({})  # of the user's own, each with a line that says what is one
    drop: list[str] = Field([])
    names: list[str] = Field([])  # that are looked for wherever they stand

    @model_validator(mode="after")
    def _no_pair_is_both(self) -> Self:
        groups: dict[str, set[int]] = {}
        for number, names in enumerate(self.same):
            for name in names:
                groups.setdefault(name, set()).add(number)
        for others in self.different:
            found: dict[int, str] = {}
            for name in dict.fromkeys(others):
                for number in sorted(groups.get(name, ())):
                    if found.setdefault(number, name) != name:
                        first, second = sorted((found[number], name), key=self.same[number].index)
                        raise ValueError(f"{first} and {second} cannot be the same and different")
        return self

    @model_validator(mode="after")
    def _a_name_has_one_title_and_type(self) -> Self:
        for stated, what in ((self.title, "title"), (self.type, "type")):
            names: dict[str, str] = {}
            for name in stated:
                first = names.setdefault(" ".join(name.casefold().split()), name)
                if stated[first] != stated[name]:
                    raise ValueError(f"{first} and {name} are one name: give it one {what}")
        return self
