class SessionUpdateOptionsParams:
    @staticmethod
    def from_dict(obj: Any) -> "SessionUpdateOptionsParams":
        opening_hours = from_union([from_str, from_none], obj.get("openingHours"))
        return SessionUpdateOptionsParams(opening_hours)


class ZooApi:
    async def open(self):
        await self._client.request("zoo.open", {}, **_timeout_kwargs(timeout))
