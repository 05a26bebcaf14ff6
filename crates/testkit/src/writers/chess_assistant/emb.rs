//! The mini file system with the names.

use std::collections::HashMap;

/// Size of a fragment in bytes, except the last one of a file. It is odd, so that entries and names cross the
/// ends of fragments.
const FRAGMENT: usize = 613;

/// A list of names without duplicates; id 0 is the empty name.
#[derive(Default)]
pub struct Names {
    addresses: Vec<u8>,
    records: Vec<u8>,
    data: Vec<u8>,
    ids: HashMap<(String, String, u32), u32>,
    /// True in the list of players, who also have titles.
    has_titles: bool,
}

impl Names {
    /// The id of a player.
    pub fn player(&mut self, name: &str, title: &str, fide_id: u32) -> Result<u32, String> {
        self.has_titles = true;
        self.id(name, title, fide_id)
    }

    /// The id of a name. In the list of players it has no further data.
    pub fn name(&mut self, name: &str) -> Result<u32, String> {
        self.id(name, "", 0)
    }

    fn id(&mut self, name: &str, title: &str, fide_id: u32) -> Result<u32, String> {
        if self.ids.is_empty() {
            self.add("", "", 0)?;
        }
        let name = if name == "?" { "" } else { name };
        let key = (name.to_owned(), title.to_owned(), fide_id);
        match self.ids.get(&key) {
            Some(&id) => Ok(id),
            None => self.add(name, title, fide_id),
        }
    }

    fn add(&mut self, name: &str, title: &str, fide_id: u32) -> Result<u32, String> {
        let id = self.ids.len() as u32;
        let len = |text: &str| u8::try_from(text.len()).map_err(|_| format!("{text}: more than 255 bytes"));
        let address = i32::try_from(self.records.len()).map_err(|_| "more than 2 GiB of names")?;
        if id >= 0xff_ffff {
            return Err("more than 16777215 names".to_owned());
        }
        self.addresses.extend(address.to_le_bytes());
        self.records.push(len(name)?);
        if self.has_titles {
            self.records.push(len(title)?);
        }
        self.records.extend(name.bytes().chain(title.bytes()));
        // Rating, FIDE id, birthday, sex.
        self.data.extend([0, 0]);
        self.data.extend(fide_id.to_le_bytes());
        self.data.extend([0; 4]);
        self.ids.insert((name.to_owned(), title.to_owned(), fide_id), id);
        Ok(id)
    }
}

/// All files of all lists in one file: header, fragments, their tables, root directory.
pub fn pack(lists: [(&str, Names); 4]) -> Vec<u8> {
    let mut files = Vec::new();
    for (list, names) in lists {
        let data = if names.has_titles { names.data } else { Vec::new() };
        let contents: [(&str, Vec<u8>); 7] = [
            ("cdp", Vec::new()),
            ("iii", Vec::new()),
            ("axx", Vec::new()),
            ("dxx", Vec::new()),
            ("d00", data),
            ("a01", names.addresses),
            ("d01", names.records),
        ];
        files.extend(contents.map(|(extension, bytes)| (format!("{list}.{extension}"), bytes)));
    }
    let mut volume = super::padded("Chess Assistant 3.0 database.", 64);
    volume.extend(super::padded("\nData Pro Volume format. Version 1.1", 64));
    volume.resize(144, 0);
    let mut root = Vec::new();
    for (name, bytes) in &files {
        let table = append_file(&mut volume, bytes);
        for word in [0, 2, bytes.len() as u32, table] {
            root.extend(word.to_le_bytes());
        }
        root.extend([0; 12]);
        root.extend(super::padded(name, 228));
    }
    let table = append_file(&mut volume, &root);
    volume[136..140].copy_from_slice(&(root.len() as u32).to_le_bytes());
    volume[140..144].copy_from_slice(&table.to_le_bytes());
    volume
}

/// Appends a file, its last fragment first. Returns the offset of its table.
fn append_file(volume: &mut Vec<u8>, bytes: &[u8]) -> u32 {
    let mut table = Vec::new();
    for fragment in bytes.chunks(FRAGMENT).rev() {
        table.push((fragment.len() as u32, volume.len() as u32));
        volume.extend(fragment);
    }
    let place = volume.len() as u32;
    for (len, at) in table.into_iter().rev() {
        volume.extend(len.to_le_bytes());
        volume.extend(at.to_le_bytes());
    }
    place
}
