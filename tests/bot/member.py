"""Members of the simulated server, who use commands in its channel and read private answers."""

from typing import Any

from simcord import ChannelHandle, Env, GuildHandle, InteractionResult, MemberActor, ResponseMessage, UserHandle

from tests.bot.messages import Message, get_private_answer, read_text


class Member(MemberActor):
    """A member of the server. `open_` methods return the private answer of the bot, `read_` methods its text."""

    def __init__(self, env: Env, guild: GuildHandle, user: UserHandle, channel: ChannelHandle) -> None:
        super().__init__(env, guild, user)
        self.channel = channel

    async def use_command(self, command: str, /, **options: Any) -> InteractionResult:
        return await self.slash(self.channel, command, **options)

    async def open_command(self, command: str, /, **options: Any) -> ResponseMessage:
        return get_private_answer(await self.use_command(command, **options))

    async def read_command(self, command: str, /, **options: Any) -> str:
        return read_text(await self.open_command(command, **options))

    async def open_click(self, message: Message, label: str) -> ResponseMessage:
        return get_private_answer(await self.click(message, label=label))

    async def read_click(self, message: Message, label: str) -> str:
        return read_text(await self.open_click(message, label))

    async def open_select(self, message: Message, value: str, *, custom_id: str | None = None) -> ResponseMessage:
        return get_private_answer(await self.select(message, [value], custom_id=custom_id))

    async def fetch_choices(self, command: str, option: str, typed: str, /, **filled: Any) -> list[dict[str, Any]]:
        """Return the suggestions for an option of a command."""
        return await self.autocomplete(self.channel, command, option, typed, **filled)
