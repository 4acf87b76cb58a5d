#!/usr/bin/env bash
# Takes a picture of a report in headless Chromium, as a reader sees it.
# Usage: screenshot.sh REPORT.html OUT.png [light|dark|print]
set -euo pipefail

if [ $# -lt 2 ] || [ $# -gt 3 ] || [ ! -f "$1" ]; then
    echo "usage: $0 REPORT.html OUT.png [light|dark|print]: the report must exist" >&2
    exit 2
fi
report=$(realpath "$1") picture=$(realpath -m "$2") look=${3:-light}

browser=
for name in chromium chromium-browser google-chrome; do
    browser=${browser:-$(command -v "$name" || true)}
done
if [ -z "$browser" ]; then
    printf '\n*** SKIPPED the screenshot: Chromium is missing; `apt-get install chromium` or `make tools` fetches it\n\n' >&2
    exit 0
fi

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
options=(--headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" --force-device-scale-factor=1)
case $look in
light) ;;
dark) options+=(--blink-settings=preferredColorScheme=0) ;;
print)
    "$browser" "${options[@]}" --no-pdf-header-footer --print-to-pdf="$profile/report.pdf" "file://$report" 2>/dev/null
    if ! command -v pdftoppm >/dev/null; then
        printf '\n*** SKIPPED the picture of the print: pdftoppm is missing; `apt-get install poppler-utils`\n\n' >&2
        exit 0
    fi
    pdftoppm -png -r 70 "$profile/report.pdf" "${picture%.png}"
    exit 0
    ;;
*)
    echo "usage: $0 REPORT.html OUT.png [light|dark|print]" >&2
    exit 2
    ;;
esac
"$browser" "${options[@]}" --window-size="1000,${SCREENSHOT_HEIGHT:-2400}" --screenshot="$picture" "file://$report" 2>/dev/null
