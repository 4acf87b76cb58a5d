//! Compiles the C and C++ shims of the rivals that are asked for.

fn main() {
    #[cfg(feature = "bullet")]
    bullet();
    #[cfg(feature = "physx")]
    physx();
    #[cfg(feature = "box3d")]
    box3d();
    #[cfg(feature = "jolt")]
    jolt();
}

#[cfg(feature = "bullet")]
fn bullet() {
    println!("cargo:rerun-if-changed=shim/bullet.cpp");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .include("/usr/include/bullet")
        .warnings(false)
        .file("shim/bullet.cpp")
        .compile("rivals_bullet");
    println!("cargo:rustc-link-lib=BulletCollision");
    println!("cargo:rustc-link-lib=LinearMath");
}

/// Where the sources of a dependency are. The crate does not say, cargo does.
#[cfg(any(feature = "physx", feature = "box3d", feature = "jolt"))]
fn sources_of(crate_name: &str, feature: &str) -> std::path::PathBuf {
    let [cargo, target] = ["CARGO", "TARGET"].map(|name| std::env::var(name).expect("set by cargo"));
    // Not offline: it wants the packages of tests, too, which a build on a new machine has not fetched.
    let output = std::process::Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--features",
            feature,
            "--locked",
            "--filter-platform",
            &target,
        ])
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package = packages.iter().find(|package| package["name"] == crate_name).expect("a dependency");
    let manifest = std::path::Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").to_path_buf()
}

#[cfg(feature = "physx")]
fn physx() {
    println!("cargo:rerun-if-changed=shim/physx.cpp");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .define("NDEBUG", None)
        .define("PX_PHYSX_STATIC_LIB", None)
        .include(sources_of("physx-sys", "physx").join("physx/physx/include"))
        .warnings(false)
        .file("shim/physx.cpp")
        .compile("rivals_physx");
}

/// Compiled as `box3d-sys` compiles the library.
#[cfg(feature = "box3d")]
fn box3d() {
    println!("cargo:rerun-if-changed=shim/box3d.c");
    let sources = sources_of("box3d-sys", "box3d").join("vendor/box3d");
    cc::Build::new()
        .std("gnu17")
        .opt_level(3)
        .define("NDEBUG", None)
        .flag("-ffp-contract=off")
        .include(sources.join("include"))
        .include(sources.join("src"))
        .warnings(false)
        .file("shim/box3d.c")
        .compile("rivals_box3d");
}

/// Compiled as `joltc-sys` compiles the library: the layout of its classes depends on these.
#[cfg(feature = "jolt")]
fn jolt() {
    println!("cargo:rerun-if-changed=shim/jolt.cpp");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).define("NDEBUG", None).flag("-ffp-contract=off");
    for name in ["JPH_DEBUG_RENDERER", "JPH_PROFILE_ENABLED"] {
        build.define(name, None);
    }
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        for name in ["AVX2", "AVX", "SSE4_1", "SSE4_2", "LZCNT", "TZCNT", "F16C", "FMADD"] {
            build.define(&format!("JPH_USE_{name}"), None);
        }
        for flag in ["-mavx2", "-mbmi", "-mpopcnt", "-mlzcnt", "-mf16c", "-mfma", "-mfpmath=sse"] {
            build.flag(flag);
        }
    }
    build
        .include(sources_of("joltc-sys", "jolt").join("JoltC/JoltPhysics"))
        .warnings(false)
        .file("shim/jolt.cpp")
        .compile("rivals_jolt");
}
