//! A server, and the database on it that a workload has for itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mongodb::bson::{Document, doc};
use mongodb::options::{
    Acknowledgment, ClientOptions, ReadConcern, SelectionCriteria, TransactionOptions, WriteConcern,
};
use mongodb::sync::{Client, ClientSession, Collection, Database};
use serde_json::json;
use vellum_compare_protocol::{Open, Opened};

use crate::server::Server;
use crate::trouble::Asked;

/// How long a server may take to answer that it is there.
const SELECTION: Duration = Duration::from_secs(5);
const NAME: &str = "vellum_comparison";

/// Where the server is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// It runs already.
    Uri(String),
    /// This program, started on the folder of each database.
    FerretDb(PathBuf),
}

impl Source {
    /// Returns the name of the engine.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Uri(_) => "mongodb",
            Self::FerretDb(_) => "ferretdb",
        }
    }

    fn connect(&self, dir: &Path, durability: &str, is_first: bool) -> Asked<(Client, Option<Server>)> {
        let (uri, server) = match self {
            Self::Uri(uri) => (uri.clone(), None),
            Self::FerretDb(program) if is_first => {
                let server = Server::start(program, dir, durability).map_err(mongodb::error::Error::from)?;
                (server.uri().to_owned(), Some(server))
            }
            Self::FerretDb(_) => (Server::address(dir).map_err(mongodb::error::Error::from)?, None),
        };
        Ok((connect(&uri)?, server))
    }

    /// Returns the version, which a server is asked for.
    pub(crate) fn version(&self) -> String {
        match self {
            Self::FerretDb(_) => "FerretDB 1.24.2".to_owned(),
            Self::Uri(uri) => match connect(uri).and_then(|client| build_info(&client)) {
                Ok(info) => format!("MongoDB {}", info.get_str("version").unwrap_or("of no version")),
                // Its rows say why.
                Err(_) => "a server that does not answer".to_owned(),
            },
        }
    }
}

/// A database of a workload.
pub(crate) struct Deployment {
    source: Source,
    dir: PathBuf,
    durability: String,
    is_first: bool,
    client: Client,
    // After the client, which still uses it: it ends last.
    server: Option<Server>,
}

impl Deployment {
    /// Connects to the server, which the first process starts where there is none. Its database is empty then.
    pub(crate) fn open(source: &Source, open: &Open) -> Asked<Self> {
        let (dir, durability, is_first) = (open.dir.clone(), open.durability.clone(), open.process == 0);
        let (client, server) = source.connect(&dir, &durability, is_first)?;
        let deployment = Self { source: source.clone(), dir, durability, is_first, client, server };
        if is_first {
            deployment.database().drop().run()?;
        }
        Ok(deployment)
    }

    /// Closes the connection, and the server that was started, and opens them again.
    pub(crate) fn reopen(&mut self) -> Asked<()> {
        self.server = None;
        (self.client, self.server) = self.source.connect(&self.dir, &self.durability, self.is_first)?;
        Ok(())
    }

    /// Returns the database.
    pub(crate) fn database(&self) -> Database {
        let options = mongodb::options::DatabaseOptions::builder()
            .write_concern(self.write_concern())
            .selection_criteria(SelectionCriteria::ReadPreference(mongodb::options::ReadPreference::Primary))
            .build();
        self.client.database_with_options(NAME, options)
    }

    /// Returns a collection of it.
    pub(crate) fn collection<T: Send + Sync>(&self, name: &str) -> Collection<T> {
        self.database().collection(name)
    }

    /// Does `work` in one transaction: snapshot reads, writes of the wanted durability.
    pub(crate) fn transaction<T>(&self, work: impl FnOnce(&mut ClientSession) -> Asked<T>) -> Asked<T> {
        let mut session = self.client.start_session().run()?;
        let options = TransactionOptions::builder()
            .read_concern(ReadConcern::snapshot())
            .write_concern(self.write_concern())
            .build();
        session.start_transaction().with_options(options).run()?;
        match work(&mut session) {
            Ok(result) => {
                session.commit_transaction().run()?;
                Ok(result)
            }
            Err(trouble) => {
                // The trouble that led here is the one to tell.
                session.abort_transaction().run().ok();
                Err(trouble)
            }
        }
    }

    /// Returns what a reader has to know.
    pub(crate) fn opened(&self) -> Opened {
        let is_full = self.durability != "off";
        let mut settings = json!({ "server": self.source.name() });
        let mut notes = vec!["processor times are not taken: the server is another process".to_owned()];
        if let Some(settings) = settings.as_object_mut() {
            let (concern, transactions) = match (&self.source, is_full) {
                (Source::FerretDb(_), true) => ("SQLite WAL, synchronous FULL", "none"),
                (Source::FerretDb(_), false) => ("SQLite WAL, synchronous OFF", "none"),
                (Source::Uri(_), true) => ("majority, journaled", "snapshot reads"),
                (Source::Uri(_), false) => ("1, not journaled", "snapshot reads"),
            };
            settings.insert("writes".to_owned(), json!(concern));
            settings.insert("transactions".to_owned(), json!(transactions));
            if let Ok(info) = build_info(&self.client) {
                settings.insert("reported version".to_owned(), json!(info.get_str("version").unwrap_or("")));
            }
        }
        if matches!(self.source, Source::Uri(_)) {
            notes.push("the files are the server's own: their size is not known".to_owned());
        }
        Opened { settings: settings.as_object().cloned().unwrap_or_default(), notes }
    }

    fn write_concern(&self) -> WriteConcern {
        let mut concern = WriteConcern::default();
        if self.durability == "off" {
            concern.w = Some(Acknowledgment::Nodes(1));
            concern.journal = Some(false);
        } else {
            concern.w = Some(Acknowledgment::Majority);
            concern.journal = Some(true);
        }
        concern
    }
}

impl Drop for Deployment {
    fn drop(&mut self) {
        // A server that stays is left as it was; the folder of another one goes as a whole.
        if self.is_first && matches!(self.source, Source::Uri(_)) {
            self.database().drop().run().ok();
        }
    }
}

fn connect(uri: &str) -> Asked<Client> {
    let mut options = ClientOptions::parse(uri).run()?;
    options.server_selection_timeout = Some(SELECTION);
    Ok(Client::with_options(options)?)
}

fn build_info(client: &Client) -> Asked<Document> {
    Ok(client.database("admin").run_command(doc! { "buildInfo": 1 }).run()?)
}
