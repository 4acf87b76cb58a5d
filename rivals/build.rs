//! Compiles the C++ shims of the rivals that are asked for.

fn main() {
    #[cfg(feature = "bullet")]
    bullet();
    #[cfg(feature = "physx")]
    physx();
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

/// The headers are those of the crate `physx-sys`, which does not say where they are; cargo does.
#[cfg(feature = "physx")]
fn physx() {
    println!("cargo:rerun-if-changed=shim/physx.cpp");
    let [cargo, target] = ["CARGO", "TARGET"].map(|name| std::env::var(name).expect("set by cargo"));
    // Not offline: it wants the packages of tests, too, which a build on a new machine has not fetched.
    let output = std::process::Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--features",
            "physx",
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
    let package = packages.iter().find(|package| package["name"] == "physx-sys").expect("a dependency");
    let manifest = std::path::Path::new(package["manifest_path"].as_str().expect("a path"));
    let include = manifest.with_file_name("physx").join("physx").join("include");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .define("NDEBUG", None)
        .define("PX_PHYSX_STATIC_LIB", None)
        .include(include)
        .warnings(false)
        .file("shim/physx.cpp")
        .compile("rivals_physx");
}
