// Copyright 2026 The spacecraft_attitude_sim authors
// SPDX-License-Identifier: Apache-2.0
//
// node search_site.js SITE QUESTION…: print the page and anchor that the site's search shows first.
"use strict";

const fs = require("fs");
const vm = require("vm");

const [site, ...questions] = process.argv.slice(2);
const nothing = () => {};
const page = {
  _: (text) => text,
  document: { addEventListener: nothing, getElementById: () => null },
  localStorage: { setItem: nothing, getItem: () => null },
  DOCUMENTATION_OPTIONS: {},
  SPHINX_HIGHLIGHT_ENABLED: false,
  _ready: nothing,
};
page.window = page;
vm.createContext(page);
const scripts = ["language_data.js", "searchtools.js", "search_rank.js"].map((name) => `_static/${name}`);
const texts = [...scripts, "searchindex.js"].map((name) => fs.readFileSync(`${site}/${name}`, "utf8"));
vm.runInContext(texts.join("\n;"), page);
for (const question of questions) {
  page.question = question;
  const found = vm.runInContext("Search._performSearch(...Search._parseQuery(question))", page);
  const [name, , anchor] = found.at(-1) ?? ["", "", ""];
  console.log(name + anchor);
}
