// What the page cannot do without a script: files that are dropped, sliders beside their numbers,
// points of a picture that stand for buttons, and texts that are copied. htmx does the rest.
"use strict";

function swapIn(html) {
  htmx.swap("#message", html, { swapStyle: "none" });
}

function say(told, hint) {
  const box = document.createElement("div");
  box.className = "warning";
  for (const text of [told, `Hint: ${hint}`]) {
    const line = document.createElement("p");
    line.textContent = text;
    box.append(line);
  }
  document.getElementById("message").replaceChildren(box);
}

function nobodyAnswers() {
  say("The studio does not answer.", "see in the terminal whether it still runs, and start it again.");
}

// Each file with its name, which for a folder begins with that of the folder.
async function send(purpose, files) {
  const here = document.getElementById("main").dataset.here;
  const batch = Array.from(crypto.getRandomValues(new Uint8Array(12)), (n) => n.toString(16)).join("");
  for (const { file, name } of files) {
    const answer = await fetch(`${here}/upload/${purpose}`, {
      method: "POST",
      body: file,
      headers: {
        "Content-Type": "application/octet-stream",
        "X-File-Name": encodeURIComponent(name),
        "X-Batch": batch,
        "X-Count": String(files.length),
        "X-Fingerprint": document.getElementById("fingerprint-given").value.replace(/[^0-9a-fA-F]/g, ""),
        "HX-Request": "true",
      },
    }).catch(nobodyAnswers);
    if (!answer) return;
    swapIn(await answer.text());
    if (!answer.ok) return;
  }
}

document.addEventListener("change", (event) => {
  const input = event.target;
  if (input.dataset.show) {
    for (const option of input.options) {
      document.getElementById(input.dataset.show + option.value).hidden = !option.selected;
    }
  }
  if (input.dataset.upload && input.files.length) {
    send(
      input.dataset.upload,
      Array.from(input.files, (file) => ({ file, name: file.webkitRelativePath || file.name })),
    );
    input.value = ""; // so that the same file can be chosen again
  }
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = event.target.closest ? event.target.closest("[data-drop]") : null;
    document.querySelectorAll(".over").forEach((one) => one.classList.remove("over"));
    event.preventDefault(); // a file that misses the place is not opened instead of the page
    if (!place) return;
    if (kind === "dragover") place.classList.add("over");
    if (kind === "drop" && event.dataTransfer.files.length) dropped(place, event.dataTransfer);
  });
}

const MOST_FILES = 2000; // as in archives

async function dropped(place, given) {
  const file = given.files[0];
  const entry = given.items[0]?.webkitGetAsEntry?.(); // gone after the first wait
  if (!entry?.isDirectory) return send(place.dataset.drop, [{ file, name: file.name }]);
  if (place.dataset.drop !== "release") return say("A folder is no table.", "drop the file itself.");
  const files = await filesBelow(entry);
  if (!files.length || files.length > MOST_FILES) {
    return say("The folder is no release.", "drop the folder that holds manifest.json.");
  }
  return send("file_of_release", files);
}

// All files below a folder; the browser gives a hundred entries at a time.
async function filesBelow(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const entries = await new Promise((take, refuse) => reader.readEntries(take, refuse));
    if (!entries.length || found.length > MOST_FILES) return found;
    for (const entry of entries) {
      if (entry.isDirectory) {
        found.push(...(await filesBelow(entry)));
      } else {
        const file = await new Promise((take, refuse) => entry.file(take, refuse));
        found.push({ file, name: entry.fullPath.replace(/^\//, "") });
      }
    }
  }
}

document.addEventListener("htmx:sendError", nobodyAnswers);

document.addEventListener("input", (event) => {
  const { mirror, mirrored } = event.target.dataset;
  const other = mirror
    ? document.querySelector(`[data-mirrored="${mirror}"]`)
    : mirrored && document.querySelector(`[data-mirror="${mirrored}"]`);
  if (other) other.value = event.target.value;
});

document.addEventListener("click", (event) => {
  const point = event.target.closest("[data-press]");
  if (point) document.getElementById(point.dataset.press)?.click();
  const size = event.target.closest("[data-size]");
  if (size) choose(size.dataset.size);
  const trial = event.target.closest("[data-trial]");
  if (trial) post("trial", { number: trial.dataset.trial });
  const node = event.target.closest("[data-node]");
  if (node) showNode(node.dataset.node);
  const copy = event.target.closest("[data-copy]");
  if (copy) copyText(copy);
});

function post(step, values) {
  const here = document.getElementById("main").dataset.here;
  htmx.ajax("POST", `${here}/do/${step}`, { values, swap: "none", target: "#message" });
  document.getElementById("h-preview").scrollIntoView({ block: "start" });
}

function choose(leaves) {
  post("point", { leaves });
  mark(leaves);
}

function mark(leaves) {
  document.querySelectorAll("button.size").forEach((one) => {
    one.setAttribute("aria-pressed", String(one.dataset.size === leaves));
  });
  document.querySelectorAll("svg .press").forEach((one) => {
    one.classList.toggle("pressed", one.dataset.press === `size-${leaves}`);
  });
}

function showNode(number) {
  const shown = document.getElementById("node-shown");
  shown.replaceChildren(...document.getElementById(`node-${number}`).cloneNode(true).childNodes);
  shown.hidden = false;
  document.querySelectorAll("svg [data-node]").forEach((one) => {
    one.classList.toggle("pressed", one.dataset.node === number);
  });
}

async function copyText(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1500);
}

// On a narrow screen the tree is read in lines, so these are open there.
document.addEventListener("htmx:oobAfterSwap", () => {
  if (matchMedia("(max-width: 40rem)").matches) {
    document.querySelectorAll("details.outline").forEach((one) => (one.open = true));
  }
});
