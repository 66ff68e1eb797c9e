/* Builds the page of the service and the component of single-file pages, and stamps both with a digest of the sources. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const packed = join(here, "..", "src", "saccade");
const served = join(packed, "serve", "static");
const viewed = join(packed, "view", "static");

/* What a test computes again: every file that decides what is built, with its name. */
function digest() {
  const sources = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const all = [...sources, ...["index.html", "build.mjs", "package-lock.json"].map((name) => join(here, name)), join(viewed, "base.css")];
  const hash = createHash("sha256");
  for (const file of all.map((path) => relative(join(here, ".."), path).replaceAll("\\", "/")).sort()) {
    hash.update(file).update("\0").update(readFileSync(join(here, "..", file))).update("\0");
  }
  return hash.digest("hex");
}

const common = { configFile: false, root: here, logLevel: "warn", base: "./" };

rmSync(served, { recursive: true, force: true });
await build({
  ...common,
  build: {
    outDir: served,
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: { entryFileNames: "assets/explorer.js", assetFileNames: "assets/explorer[extname]", chunkFileNames: "assets/[name].js" },
    },
  },
});
await build({
  ...common,
  build: {
    outDir: viewed,
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: join(here, "src", "single.ts"), formats: ["iife"], name: "attention", fileName: () => "attention.js", cssFileName: "attention" },
  },
});
writeFileSync(join(served, "built-from.txt"), `${digest()}\n`);
