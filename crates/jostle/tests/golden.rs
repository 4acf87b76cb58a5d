//! One hash per scene: a change of these is a change of what users get, and needs a reason.
//!
//! Minted anew once: a body that trembles loses a little of its rest instead of all of it. To mint: run with `JOSTLE_MINT=1`,
//! copy what is printed, and write the reason here.

#![cfg(target_arch = "x86_64")]

use jostle::{Execution, scenes};

const BODIES: usize = 150;
const FRAMES: usize = 90;

const GOLDEN: &[(&str, u64)] = &[
    ("rain", 0x749b_17a2_5958_8f0a),
    ("pit", 0xa7e7_28b9_c005_9abe),
    ("pyramid", 0xb050_599e_e50c_73a1),
    ("wall", 0xa0b9_0e3e_53eb_2a6c),
    ("gas", 0xa53f_4d6b_3759_2c95),
    ("drum", 0x71df_7863_ae53_b905),
    ("layer", 0x5503_db06_339b_b008),
    ("giant", 0xb5d7_f7dc_d817_86c0),
];

#[test]
fn every_scene_ends_in_its_golden_hash() {
    let mut minted = String::new();
    let mut wrong = vec![];
    for entry in scenes::all() {
        let scene = (entry.make)(BODIES, 1);
        let mut world = scene.build(&Execution::default()).unwrap();
        for _ in 0..FRAMES {
            scene.step(&mut world).unwrap();
        }
        let hash = world.state_hash().0;
        minted += &format!("    (\"{}\", 0x{hash:016x}),\n", entry.name);
        let golden = GOLDEN.iter().find(|(name, _)| *name == entry.name);
        if golden.map(|(_, hash)| *hash) != Some(hash) {
            wrong.push(entry.name);
        }
    }
    if std::env::var_os("JOSTLE_MINT").is_some() {
        println!("{minted}");
        return;
    }
    assert!(wrong.is_empty(), "{wrong:?} changed; if that is meant, mint (see above):\n{minted}");
    assert_eq!(GOLDEN.len(), scenes::all().len());
}
