//! The JBOX file: recorded frames of boxes. `docs/formats.md` describes it.
//!
//! A file is not trusted. Its length must be what its header says before a number of the header is used for anything,
//! frames are read in small pieces, and every box is checked by the store's own rule.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use jostle_broad::glam::Vec3;
use jostle_broad::{Aabb, Boxes, Dimensions, Moved};

use crate::output::WholeFile;
use crate::scene::Rules;
use crate::scenes::ABSENT;

const MAGIC: [u8; 4] = *b"JBOX";
/// Version 2 says more in its header, and has boxes that are not there. Files that need neither are of version 1.
const VERSIONS: [u32; 2] = [1, 2];
const HEADER_BYTES: [u64; 2] = [16, 24];
const BOX_BYTES: usize = 24;
/// Frames without boxes take no room in a file, so that its length says nothing about their number.
pub(crate) const MOST_FRAMES: u32 = 1_000_000;

/// What the header says, known to fit the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) n: u32,
    pub(crate) frames: u32,
    /// What counts as a pair.
    pub(crate) rules: Rules,
    /// May boxes be absent?
    pub(crate) gaps: bool,
}

impl Header {
    fn version(&self) -> u32 {
        VERSIONS[usize::from(self.gaps || self.rules != Rules::default())]
    }

    fn bytes(&self) -> u64 {
        HEADER_BYTES[self.version() as usize - 1]
    }
}

/// Reads the frames of a file one after another.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    header: Header,
    next_frame: u32,
}

impl Reader {
    /// Opens a file and looks at every box in it.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        let cannot = || format!("{name}: cannot be read; name a file written by `jostle record`");
        let file = File::open(path).with_context(cannot)?;
        let about = file.metadata().with_context(cannot)?;
        if !about.is_file() {
            bail!("{name}: is not a plain file; name a file written by `jostle record`");
        }
        let mut file = BufReader::with_capacity(1 << 16, file);
        let header = read_header(&mut file, about.len()).with_context(|| name.to_string())?;
        let mut reader = Self { path: path.to_path_buf(), file, header, next_frame: 0 };
        reader.check_boxes()?;
        Ok(reader)
    }

    pub(crate) fn header(&self) -> Header {
        self.header
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the next frame in place of the one in `boxes`.
    pub(crate) fn next_frame(&mut self, boxes: &mut Vec<Aabb>) -> Result<()> {
        boxes.clear();
        let mut bytes = [0; BOX_BYTES];
        for _ in 0..self.header.n {
            self.file.read_exact(&mut bytes).with_context(|| {
                format!("{}: frame {}: cannot be read", self.path.display(), self.next_frame)
            })?;
            boxes.push(decode(&bytes));
        }
        self.next_frame += 1;
        Ok(())
    }

    /// Goes through the whole file with a store, which refuses what is not a box, and back to its first frame.
    fn check_boxes(&mut self) -> Result<()> {
        let (mut frame, mut store) = (Vec::new(), Boxes::default());
        for index in 0..self.header.frames {
            self.next_frame(&mut frame)?;
            let all_there = !self.header.gaps || !frame.contains(&ABSENT);
            let checked = if all_there && index > 0 && store.len() == frame.len() {
                store.update(Moved::All, &frame).map_err(Into::into)
            } else if all_there {
                Boxes::from_aabbs(&frame).map(|filled| store = filled).map_err(Into::into)
            } else {
                self.header.rules.store(&frame).map(|filled| store = filled)
            };
            checked.with_context(|| format!("{}: frame {index}", self.path.display()))?;
        }
        let start = SeekFrom::Start(self.header.bytes());
        self.file.seek(start).with_context(|| self.path.display().to_string())?;
        self.next_frame = 0;
        Ok(())
    }
}

fn read_header(file: &mut impl Read, length: u64) -> Result<Header> {
    const REMEDY: &str = "record it again with `jostle record`";
    if length == 0 {
        bail!("the file is empty; {REMEDY}");
    }
    let mut bytes = [0; HEADER_BYTES[1] as usize];
    let mut read = |part: &mut [u8], all: u64| match file.read_exact(part) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            bail!("the file ends inside its header: {length} bytes instead of {all}; {REMEDY}")
        }
        other => other.context("cannot be read"),
    };
    let (short, rest) = bytes.split_at_mut(HEADER_BYTES[0] as usize);
    read(short, HEADER_BYTES[0])?;
    if short[..4] != MAGIC {
        bail!("not a JBOX file: it begins with \"{}\"; {REMEDY}", short[..4].escape_ascii());
    }
    let version = number(short, 4);
    if !VERSIONS.contains(&version) {
        bail!("JBOX version {version}, but only version 1 and version 2 are known; {REMEDY}");
    }
    let mut header =
        Header { n: number(short, 8), frames: number(short, 12), rules: Rules::default(), gaps: false };
    if version == VERSIONS[1] {
        read(rest, HEADER_BYTES[1])?;
        header.gaps = true;
        header.rules.walls = number(rest, 0) as usize;
        header.rules.dimensions = match number(rest, 4) {
            2 => Dimensions::Two,
            3 => Dimensions::Three,
            other => bail!("the header says {other} dimensions, and there are 2 or 3; {REMEDY}"),
        };
    }
    let Header { n, frames, rules, .. } = header;
    if rules.walls > n as usize {
        bail!("the header says {} walls among {n} boxes; {REMEDY}", rules.walls);
    }
    if frames == 0 || frames > MOST_FRAMES {
        bail!("the header says {frames} frames, and a file has 1 to {MOST_FRAMES}; {REMEDY}");
    }
    let expected = u128::from(header.bytes()) + u128::from(n) * u128::from(frames) * BOX_BYTES as u128;
    if u128::from(length) != expected {
        let what = if u128::from(length) < expected { "truncated" } else { "followed by other bytes" };
        bail!(
            "the file is {what}: {n} boxes in {frames} frames take {expected} bytes, and it has {length}; {REMEDY}"
        );
    }
    Ok(header)
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn decode(bytes: &[u8; BOX_BYTES]) -> Aabb {
    let number =
        |i: usize| f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    Aabb::new(Vec3::new(number(0), number(1), number(2)), Vec3::new(number(3), number(4), number(5)))
}

/// Writes a file frame by frame.
#[derive(Debug)]
pub(crate) struct Writer {
    file: WholeFile,
}

impl Writer {
    pub(crate) fn new(mut file: WholeFile, header: Header) -> Result<Self> {
        file.write(&MAGIC)?;
        for number in [header.version(), header.n, header.frames] {
            file.write(&number.to_le_bytes())?;
        }
        if header.version() == VERSIONS[1] {
            let dimensions = if header.rules.dimensions == Dimensions::Two { 2 } else { 3 };
            for number in [u32::try_from(header.rules.walls)?, dimensions] {
                file.write(&number.to_le_bytes())?;
            }
        }
        Ok(Self { file })
    }

    pub(crate) fn write_frame(&mut self, boxes: &[Aabb]) -> Result<()> {
        for aabb in boxes {
            for number in aabb.min.to_array().into_iter().chain(aabb.max.to_array()) {
                self.file.write(&number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.file.commit()
    }
}
