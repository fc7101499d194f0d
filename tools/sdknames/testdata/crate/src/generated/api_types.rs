//! Made up for the tests of sdknames.

pub mod rpc_methods {
    /// `zoo.open`
    pub const ZOO_OPEN: &str = "zoo.open";
    /// `zoo.animals.feedSlowly`
    pub(crate) const ZOO_ANIMALS_FEEDSLOWLY: &str =
        "zoo.animals.feedSlowly";
    /// `keeper.ask`
    pub const KEEPER_ASK: &str = "keeper.ask";
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionUpdateOptionsParams {
    #[serde(flatten)]
    pub older: OlderOptions,
    pub r#loop: Option<bool>,
}

#[serde(rename_all = "camelCase")]
pub struct OlderOptions {
    pub opening_hours: Option<HashMap<String, Vec<Hours>>>,
}

pub struct Hours {
    pub from: String,
}

#[serde(rename_all = "camelCase")]
pub struct Cage {
    pub of_the_generated: bool,
}
