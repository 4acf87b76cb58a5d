//! A report in a real browser: everything is drawn, nothing is complained of, nothing is fetched.
//! `make browser` runs it where Chromium is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Written into a copy of the report: what the browser made of it, as attributes of an element.
const PROBE: &str = r#"<script>
addEventListener("load", () => {
  const sizes = [...document.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect());
  const texts = [...document.querySelectorAll("svg text")].filter(text => {
    const inside = text.getBoundingClientRect(), around = text.closest("svg").getBoundingClientRect();
    return inside.left < around.left - 1 || inside.right > around.right + 1
      || inside.top < around.top - 2 || inside.bottom > around.bottom + 2;
  });
  const painted = [...document.querySelectorAll("svg circle, svg polyline, svg rect")]
    .filter(shape => { const style = getComputedStyle(shape); return style.fill != "none" || style.stroke != "none"; });
  const probe = document.createElement("probe");
  probe.setAttribute("svgs", sizes.length);
  probe.setAttribute("empty", sizes.filter(size => size.width < 40 || size.height < 40).length);
  probe.setAttribute("cut", texts.map(text => text.textContent.trim()).join("|"));
  probe.setAttribute("painted", painted.length);
  probe.setAttribute("fetched", performance.getEntriesByType("resource").length);
  const tables = [...document.querySelectorAll(".scroll")].filter(table => table.scrollWidth > table.clientWidth);
  probe.setAttribute("scrolled", tables.length);
  probe.setAttribute("wide", document.documentElement.scrollWidth - document.documentElement.clientWidth);
  document.body.append(probe);
});
</script>"#;

fn browser() -> &'static str {
    let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["chromium", "chromium-browser", "google-chrome"].iter().find(there);
    found.expect("Chromium is missing: install it, or leave this test to `make browser`")
}

/// The value of an attribute of the probe.
fn told<'a>(page: &'a str, name: &str) -> &'a str {
    let probe = &page[page.rfind("<probe ").expect("the probe ran")..];
    let start = probe.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
    let length = probe[start..].find('"').unwrap();
    &probe[start..start + length]
}

fn open(page: &Path, profile: &Path, width: u32) -> (String, String) {
    let output = Command::new(browser())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},900"))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let (dom, log) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).to_string());
    (dom, log.lines().filter(|line| line.contains("CONSOLE")).collect::<Vec<_>>().join("\n"))
}

/// The report of a study.
fn reported(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_jostle"))
        .args(arguments)
        .args(["--out", "report"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.join("report/report.html")).unwrap()
}

/// A copy of it with the probe inside.
fn probed(folder: &Path, report: &str) -> PathBuf {
    assert!(!report.contains("<script"), "a report has no script");
    let probed = report.replace("default-src 'none'", "default-src 'none'; script-src 'unsafe-inline'");
    let page = folder.join("probed.html");
    fs::write(&page, probed.replace("</body>", &format!("{PROBE}</body>"))).unwrap();
    page
}

#[test]
#[ignore = "needs Chromium: `make browser` runs it"]
fn wide_tables_are_seen_whole_where_the_window_is_wide() {
    let folder = TempDir::new().unwrap();
    let report = reported(folder.path(), &["experiment", "003-levels-disparity", "--frames", "2"]);
    let page = probed(folder.path(), &report);
    for (width, scrolled) in [(1500, "0"), (500, "1")] {
        let (dom, _) = open(&page, &folder.path().join("p"), width);
        assert_eq!(told(&dom, "scrolled"), scrolled, "{width} pixels wide");
        assert_eq!(told(&dom, "wide"), "0", "the page scrolls sideways, {width} pixels wide");
    }
}

#[test]
#[ignore = "needs Chromium: `make browser` runs it"]
fn a_report_is_drawn_whole_and_fetches_nothing() {
    let folder = TempDir::new().unwrap();
    let arguments = ["experiment", "finders", "--finders", "sweep,tree,grid,auto-work", "--frames", "1"];
    let report = reported(folder.path(), &arguments);

    // As it is: the policy in it forbids everything from elsewhere, and each breach would be a complaint.
    let (_, complaints) = open(&folder.path().join("report/report.html"), &folder.path().join("p"), 1000);
    assert_eq!(complaints, "");

    let page = probed(folder.path(), &report);
    for width in [1000, 500] {
        let (dom, complaints) = open(&page, &folder.path().join("p"), width);
        assert_eq!(complaints, "", "{width} pixels wide");
        assert_eq!(told(&dom, "svgs"), report.matches("<svg ").count().to_string());
        assert!(told(&dom, "svgs").parse::<usize>().unwrap() >= 20);
        assert_eq!(told(&dom, "empty"), "0", "{width} pixels wide");
        assert_eq!(told(&dom, "cut"), "", "texts that do not fit, {width} pixels wide");
        assert_eq!(told(&dom, "fetched"), "0");
        assert_eq!(told(&dom, "wide"), "0", "the page scrolls sideways, {width} pixels wide");
        assert!(told(&dom, "painted").parse::<usize>().unwrap() > 100);
    }
}
