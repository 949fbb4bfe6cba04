"""Component trees of messages: walk, search, complete, and check as Discord does."""

from collections.abc import Iterator

from bot.playground.discord_limits import FormErrors, Path
from bot.playground.payloads import Json

ROW, BUTTON, STRING_SELECT, TEXT_INPUT, USER_SELECT = 1, 2, 3, 4, 5
ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT = 6, 7, 8
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL = 9, 10, 11, 12, 13, 14, 17, 18
SELECTS = frozenset({STRING_SELECT, USER_SELECT, ROLE_SELECT, MENTIONABLE_SELECT, CHANNEL_SELECT})

LINK, PREMIUM = 5, 6  # button styles without a custom id

ON_LAYOUT = frozenset({ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR, CONTAINER})
IN_CONTAINER = ON_LAYOUT - {CONTAINER}
MAX_IN_TREE, MAX_TEXT = 40, 4000


def walk(components: list[Json]) -> Iterator[Json]:
    """Every component of a tree, each before its children."""
    for one in components:
        yield one
        yield from walk(one.get("components") or [])
        for key in ("accessory", "component"):
            if one.get(key):
                yield from walk([one[key]])


def find(components: list[Json], custom_id: str) -> Json | None:
    return next((one for one in walk(components) if one.get("custom_id") == custom_id), None)


def list_texts(components: list[Json]) -> list[str]:
    return [one["content"] for one in walk(components) if one["type"] == TEXT]


def iterate_media(components: list[Json]) -> Iterator[Json]:
    """Every media reference (`{"url": ...}`) of the tree, to be changed in place."""
    for one in walk(components):
        if one["type"] == GALLERY:
            yield from (item["media"] for item in one["items"])
        elif one["type"] == THUMBNAIL:
            yield one["media"]
        elif one["type"] == FILE:
            yield one["file"]


def assign_component_ids(components: list[Json]) -> None:
    """Give each component without an `id` the id that Discord would give it: the smallest free number, in order."""
    tree = list(walk(components))
    used_ids = {one.get("id") for one in tree}
    free_ids = (n for n in range(1, len(tree) * 2 + 2) if n not in used_ids)
    for one in tree:
        if not one.get("id"):
            one["id"] = next(free_ids)


def check_components(components: list[Json], *, layout: bool) -> None:
    """Refuse (50035) a tree that Discord would refuse. `layout`: the message uses Components V2."""
    errors = _ComponentErrors()
    top = ON_LAYOUT if layout else frozenset({ROW})
    if not layout and len(components) > 5:
        errors.add(("components",), "BASE_TYPE_BAD_LENGTH", "Must be 5 or fewer in length.")
    errors.check_children(components, top, ("components",))
    errors.raise_if_any()
    _check_tree(components, errors)
    errors.raise_if_any()


def _check_tree(components: list[Json], errors: FormErrors) -> None:
    """Check the whole tree: the number of components, the amount of text, duplicate ids."""
    tree = list(walk(components))
    if len(tree) > MAX_IN_TREE:
        text = f"The total number of components cannot exceed {MAX_IN_TREE}"
        errors.add(("components",), "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", text)
    if sum(map(len, list_texts(components))) > MAX_TEXT:
        text = f"Displayable component text size exceeds maximum size of {MAX_TEXT}"
        errors.add(("components",), "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", text)
    for key, code in (("custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"), ("id", "COMPONENT_ID_DUPLICATED")):
        values = [one[key] for one in tree if one.get(key)]
        if len(set(values)) < len(values):
            errors.add(("components",), code, f"Component {key.replace('_', ' ')} cannot be duplicated")


class _ComponentErrors(FormErrors):
    def check_list(self, items: object, most: int | None, path: Path) -> list[Json]:
        """Return the items; add an error unless they are a list, of one to `most` items if that is limited."""
        if not isinstance(items, list):
            self.add(path, "BASE_TYPE_REQUIRED", "This field is required")
            return []
        if most is not None and not 1 <= len(items) <= most:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {most} in length.")
        return items

    def check_children(self, children: object, allowed: frozenset[int], path: Path, most: int | None = None) -> None:
        for index, one in enumerate(self.check_list(children, most, path)):
            self.check_component(one, allowed, (*path, index))

    def check_component(self, component: object, allowed: frozenset[int], path: Path) -> None:
        kind = component.get("type") if isinstance(component, dict) else None
        if not isinstance(component, dict) or kind not in allowed:
            text = f'Value of field "type" must be one of {tuple(sorted(allowed))}.'
            self.add((*path, "type"), "UNION_TYPE_CHOICES", text)
            return
        checks = {ROW: self._check_row, BUTTON: self._check_button, SECTION: self._check_section}
        checks |= {GALLERY: self._check_gallery, CONTAINER: self._check_container}
        checks |= dict.fromkeys(SELECTS, self._check_select)
        if kind in checks:
            checks[kind](component, path)
        elif kind == TEXT:
            self.check_length((*path, "content"), component.get("content"), 1, MAX_TEXT)
        elif kind in (THUMBNAIL, FILE):
            self._check_media(component, "media" if kind == THUMBNAIL else "file", path)

    def _check_section(self, section: Json, path: Path) -> None:
        self.check_children(section.get("components"), frozenset({TEXT}), (*path, "components"), 3)
        self.check_component(section.get("accessory"), frozenset({BUTTON, THUMBNAIL}), (*path, "accessory"))

    def _check_container(self, container: Json, path: Path) -> None:
        self.check_children(container.get("components"), IN_CONTAINER, (*path, "components"), MAX_IN_TREE)

    def _check_row(self, row: Json, path: Path) -> None:
        children = row.get("components")
        self.check_children(children, SELECTS | {BUTTON}, (*path, "components"), 5)
        kinds = [one.get("type") for one in children or [] if isinstance(one, dict)]
        if len(kinds) > 1 and any(kind in SELECTS for kind in kinds):
            text = "The specified component exceeds the maximum width"
            self.add((*path, "components"), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", text)

    def _check_button(self, button: Json, path: Path) -> None:
        style = button.get("style")
        if style not in range(1, 7):
            self.add((*path, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5, 6).")
        label = button.get("label")
        if label:
            self.check_length((*path, "label"), label, 0, 80)
        elif not button.get("emoji") and style != PREMIUM:
            self.add(path, "BUTTON_COMPONENT_MISSING_LABEL", "A button must have a label or an emoji")
        if style == LINK:
            self.check_length((*path, "url"), button.get("url"), 1, 512)
            if button.get("custom_id"):
                text = "A custom id and url cannot both be specified"
                self.add(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", text)
        elif style != PREMIUM:
            self.check_length((*path, "custom_id"), button.get("custom_id"), 1, 100)

    def _check_select(self, select: Json, path: Path) -> None:
        self.check_length((*path, "custom_id"), select.get("custom_id"), 1, 100)
        if select.get("placeholder"):
            self.check_length((*path, "placeholder"), select["placeholder"], 0, 150)
        least, most = select.get("min_values", 1), select.get("max_values", 1)
        if not 0 <= least <= 25:
            self.add((*path, "min_values"), "NUMBER_TYPE_MAX", "int value should be between 0 and 25.")
        if not max(1, least) <= most <= 25:
            self.add((*path, "max_values"), "NUMBER_TYPE_MAX", "int value should be between min_values and 25.")
        if select["type"] != STRING_SELECT:
            return
        options = self.check_list(select.get("options"), 25, (*path, "options"))
        for index, option in enumerate(options):
            at = (*path, "options", index)
            self.check_length((*at, "label"), option.get("label"), 1, 100)
            self.check_length((*at, "value"), option.get("value"), 1, 100)
            if option.get("description"):
                self.check_length((*at, "description"), option["description"], 0, 100)
        values = [option.get("value") for option in options]
        for index, value in enumerate(values):
            if value in values[:index]:
                at, text = (*path, "options", index, "value"), "The specified option value is already used"
                self.add(at, "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", text)
        if sum(bool(option.get("default")) for option in options) > most:
            self.add(path, "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "Too many default values")
        if len(options) < most:
            self.add((*path, "max_values"), "SELECT_COMPONENT_MAX_VALUES_LARGER_THAN_OPTIONS", "More than the options")

    def _check_gallery(self, gallery: Json, path: Path) -> None:
        for index, item in enumerate(self.check_list(gallery.get("items"), 10, (*path, "items"))):
            self._check_media(item, "media", (*path, "items", index))

    def _check_media(self, holder: Json, key: str, path: Path) -> None:
        self.check_length((*path, key, "url"), (holder.get(key) or {}).get("url"), 1, 2048)
        if holder.get("description"):
            self.check_length((*path, "description"), holder["description"], 0, 1024)
