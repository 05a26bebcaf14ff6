//! The work of the fuzz targets.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use chessdb::Options;
use chessdb::files::Bytes;
use chessdb::packed::{Allowance, Packed, Slices, zip_members};
use chessdb_library::kept::{KeptFiles, Space};
use chessdb_library::library::Library;
use chessdb_library::positions::{AnswerOptions, BuildOptions, DatabasePart, IndexUse, Positions};
use chessdb_library::query::Query;
use testkit::harness::frame::Input;
use testkit::harness::meter::Counting;
use testkit::harness::movetext;
use testkit::harness::sweep::{Strictness, assert_written, sweep};
use testkit::inputs::{chess_assistant, chessbase_2cbh, jose};

#[global_allocator]
static COUNTING: Counting = Counting;

/// How many times its bound instrumented code may take on a busy machine.
const SLOWNESS: u32 = 4;

/// Reads the databases of a format among framed files.
pub fn databases(format: &str, bytes: &[u8]) {
    read(format, &Input::parse(bytes));
}

/// Reads the Chess Assistant database that the choices in the bytes describe.
pub fn chess_assistant_records(bytes: &[u8]) {
    read("chess-assistant", &chess_assistant::input(bytes));
}

/// Reads the ChessBase database or archive that the choices in the bytes describe.
pub fn chessbase_2cbh_records(bytes: &[u8]) {
    read("chessbase-2cbh", &chessbase_2cbh::input(bytes));
}

/// Reads the jose database that the choices in the bytes describe.
pub fn jose_rows(bytes: &[u8]) {
    read("jose", &jose::input(bytes));
}

/// Writes the game that the choices in the bytes describe, and reads it back.
pub fn written_game(bytes: &[u8]) {
    let game = movetext::game(bytes);
    assert_written(&chessdb::pgn::to_text(&game), &game);
}

/// Reads a query, and what it is written like in the one way of equal queries.
pub fn query(bytes: &[u8]) {
    let Ok(text) = Query::text_of(bytes) else {
        return;
    };
    if let Ok(query) = Query::parse(text) {
        let canonical = query.canonical();
        assert_eq!(Query::parse(&canonical).as_ref(), Ok(&query), "{canonical:?}");
    }
    if let Ok(query) = Query::parse_name(&text.replace('/', "_")) {
        let name = query.name();
        assert!(!name.contains('/'), "{name:?}");
        assert_eq!(Query::parse_name(&name).as_ref(), Ok(&query), "{name:?}");
    }
}

/// Reads a compressed file: the first two bytes have the length of an index that was kept of it, which follows.
pub fn packed(bytes: &[u8]) {
    let Some((&len, rest)) = bytes.split_first_chunk() else {
        return;
    };
    let (kept, file) = rest.split_at(rest.len().min(u16::from_le_bytes(len).into()));
    let file: Arc<dyn Bytes> = Arc::new(file.to_vec());
    let kept = (!kept.is_empty()).then(|| Arc::new(kept.to_vec()) as Arc<dyn Bytes>);
    let mut opened: Vec<Packed> = Packed::open(Arc::clone(&file), kept).into_iter().collect();
    let allowance = Allowance::of(file.len() as u64);
    for member in zip_members(&file).members {
        opened.extend(Packed::open_member(Arc::clone(&file), &member, None, &allowance));
    }
    for packed in opened {
        let whole = read_packed(&packed);
        // What was read, and the index of it, give the same bytes again.
        let again = Packed::open(Arc::clone(&file), Some(Arc::new(packed.index())));
        let few = Arc::new(Slices::new(1));
        if zip_members(&file).members.is_empty() {
            let again = again.expect("an index that was just made").with_slices(&few);
            assert_eq!(again.len(), packed.len());
            let middle = whole.len() / 2;
            let mut part = vec![0; whole.len().min(1000)];
            let len = again.read_at(middle as u64, &mut part);
            assert_eq!(part[..len], whole[middle..middle + len]);
        }
        assert!(packed.warnings().len() <= 1000);
    }
}

/// All unpacked bytes.
fn read_packed(packed: &Packed) -> Vec<u8> {
    let mut whole = vec![0; usize::try_from(packed.len()).expect("a bounded length")];
    assert_eq!(packed.read_at(0, &mut whole), whole.len());
    whole
}

fn read(format: &str, input: &Input) {
    let strictness = Strictness {
        slowness: Some(SLOWNESS),
        games: None,
    };
    sweep(format, input, strictness);
}

/// Changes the file in which the lines of a database are kept: every three bytes of the input are a place and what is
/// put there, and a last single byte is where the file ends, in 256ths. The answers stay the same.
pub fn kept_lines(bytes: &[u8]) {
    static KEPT: LazyLock<KeptGames> = LazyLock::new(KeptGames::new);
    KEPT.assert_same_answers(bytes);
}

/// A database whose lines are kept, and the answers that they give.
struct KeptGames {
    folder: tempfile::TempDir,
    library: Library,
    file: PathBuf,
    sound: Vec<u8>,
    answers: Vec<Vec<(u32, u32)>>,
}

impl KeptGames {
    /// Questions about moves, a plain board, a whole position, and an end.
    const QUERIES: [&str; 4] = ["played:O-O", "diff:1..", "is:mate", "material:KRk"];

    fn new() -> KeptGames {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("games.pgn");
        let games = ["e4 d5 exd5 Qxd5 Nc3", "d4 d5 c4 dxc4 e3", "f3 e5 g4 Qh4#"];
        let usual = games.map(|moves| format!("[Event \"?\"]\n\n{moves} *\n\n")).concat();
        let set_up = "[Event \"?\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\nO-O Kd8 *\n\n";
        fs::write(&path, (usual + set_up).repeat(20)).expect("a file in it");
        let library = Library::open(&path, &Options::default()).expect("a PGN file");
        let mut kept = KeptGames {
            folder,
            library,
            file: PathBuf::new(),
            sound: Vec::new(),
            answers: Vec::new(),
        };
        kept.positions().lines().make(1, &|_| ());
        let files = fs::read_dir(kept.folder.path()).expect("the folder");
        let mut paths = files.flatten().map(|file| file.path());
        let is_of_lines = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "lines");
        kept.file = paths.find(is_of_lines).expect("the lines were kept");
        kept.sound = fs::read(&kept.file).expect("the kept lines");
        kept.answers = KeptGames::QUERIES.map(|query| kept.found(query)).to_vec();
        assert!(kept.answers.iter().all(|games| games.len() >= 20));
        kept
    }

    /// The database, as a program sees it that has just started.
    fn positions(&self) -> Positions {
        let entry = &self.library.databases()[0];
        let positions = Positions::new(&entry.clone().into(), BuildOptions::default());
        let files = KeptFiles::open(self.folder.path(), "", Space::default());
        positions.keep_in(&files.expect("the folder"));
        positions
    }

    /// The games that a query finds, each with a ply.
    fn found(&self, query: &str) -> Vec<(u32, u32)> {
        let query = Query::parse(query).expect("a query");
        let part = DatabasePart::of(self.positions().into());
        let options = AnswerOptions {
            index: IndexUse::No,
            ..AnswerOptions::default()
        };
        let found = query.find(&part, &options, &|_| ());
        found.iter().map(|found| (found.game, found.ply)).collect()
    }

    fn assert_same_answers(&self, bytes: &[u8]) {
        let (changes, rest) = bytes.as_chunks::<3>();
        let mut file = self.sound.clone();
        for &[low, high, byte] in changes {
            let place = usize::from(u16::from_le_bytes([low, high])) % file.len();
            file[place] = byte;
        }
        if let [end] = rest {
            file.truncate(file.len() * usize::from(*end) / 256);
        }
        for (query, answer) in KeptGames::QUERIES.iter().zip(&self.answers) {
            // A damaged file is removed, or made again.
            fs::write(&self.file, &file).expect("the kept lines");
            assert_eq!(self.found(query), *answer, "{query}");
        }
    }
}
