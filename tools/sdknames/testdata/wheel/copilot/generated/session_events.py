class SessionEventType(Enum):
    ZOO_OPENED = "zoo.opened"
    NIGHT = "night"


class ZooOpenedData:
    @staticmethod
    def from_dict(obj: Any) -> "ZooOpenedData":
        first_animal = from_union([from_none, _load_Animal], obj.get("firstAnimal"))
        hours = from_union([from_none, lambda x: from_dict(lambda x: from_list(Hours.from_dict, x), x)], obj.get("hours"))
        return ZooOpenedData(first_animal=first_animal, hours=hours)


class Hours:
    @staticmethod
    def from_dict(obj: Any) -> "Hours":
        value = obj["value"] if "value" in obj else None
        return Hours(value=value)


class Lion:
    @staticmethod
    def from_dict(obj: Any) -> "Lion":
        mane_cm = from_int(obj.get("maneCM"))
        return Lion(mane_cm=mane_cm)


def _load_Animal(obj: Any) -> "Animal":
    kind = obj.get("kind")
    match kind:
        case "lion": return Lion.from_dict(obj)


def session_event_from_dict(s: Any) -> SessionEvent:
    match event_type:
            case SessionEventType.ZOO_OPENED: data = ZooOpenedData.from_dict(data_obj)
            case SessionEventType.NIGHT: data = NightData.from_dict(data_obj)
