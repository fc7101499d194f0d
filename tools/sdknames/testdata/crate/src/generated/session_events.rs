#[serde(tag = "type", content = "data")]
pub enum SessionEventData {
    #[serde(rename = "zoo.opened")]
    ZooOpened(ZooOpenedData),
    /// A night
    #[serde(rename = "night")]
    Night(NightData),
}

#[serde(rename_all = "camelCase")]
pub struct ZooOpenedData {
    /// Which animal
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_animal: Option<Animal>,
}

#[serde(rename_all = "camelCase")]
pub struct NightData {}

#[serde(tag = "kind")]
pub enum Animal {
    Lion(Lion),
    Unknown,
}

#[serde(rename_all = "camelCase")]
pub struct Lion {
    #[serde(
        rename = "maneCM",
        skip_serializing_if = "Option::is_none"
    )]
    pub mane_cm: Option<i64>,
    pub cubs: Vec<Animal>,
    #[serde(skip)]
    pub fed: bool,
}
