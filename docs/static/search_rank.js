// Copyright 2026 The spacecraft_attitude_sim authors
// SPDX-License-Identifier: Apache-2.0
//
// Search of the site: a heading that has the words of a question comes first.
//
// Sphinx finds a heading only if it holds the whole query as it is typed. Here a heading is found
// by its words: their stems, rare words with more weight. The changelog comes last.
"use strict";

(() => {
  if (typeof Search === "undefined") return; // not the page of the search

  // Share of the query's weight that a heading must have.
  const LEAST = 0.6;
  const LAST = /^(CHANGELOG|CONTRIBUTING)$/;
  const LATE = /^docs\/(verification|benchmarks|architecture|quality_declaration)$/;
  // Words of a question that say nothing about its subject, beside those that Sphinx leaves out.
  const LITTLE = new Set(["find", "get", "make", "need", "own", "use", "want", "way", "write"]);
  const SCORE = 4; // place of the score in a result of Sphinx

  const stems = (text) => {
    const stemmer = new Stemmer();
    const words = splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word));
    const telling = words.filter((word) => !LITTLE.has(word));
    return new Set((telling.length ? telling : words).map((word) => stemmer.stemWord(word)));
  };

  // The fewer pages have a word, the more it says.
  const weightIn = (index) => (word) => {
    const found = index.terms[word];
    const pages = found === undefined ? 1 : Array.isArray(found) ? found.length : 1;
    return Math.log(1 + index.docnames.length / pages);
  };

  const headings = (query) => {
    const index = Search._index;
    const weight = weightIn(index);
    const sum = (words) => [...words].reduce((total, word) => total + weight(word), 0);
    const asked = stems(query);
    const results = [];
    for (const [heading, places] of Object.entries(index.alltitles)) {
      const words = stems(heading);
      const shared = sum([...asked].filter((word) => words.has(word)));
      if (!shared || shared < LEAST * sum(asked)) continue;
      const likeness = shared / Math.sqrt(sum(asked) * sum(words));
      for (const [page, anchor] of places) {
        const name = index.docnames[page];
        const title = index.titles[page];
        results.push([
          name,
          title === heading ? title : `${title} > ${heading}`,
          anchor ? `#${anchor}` : "",
          null,
          20 + 80 * likeness * (title === heading && shared === sum(asked) ? 1.5 : 1),
          index.filenames[page],
          "title",
        ]);
      }
    }
    return results;
  };

  const perform = Search._performSearch;
  Search._performSearch = (query, ...others) => {
    const best = new Map();
    for (const result of [...perform(query, ...others), ...headings(query)]) {
      if (LAST.test(result[0])) result[SCORE] /= 100;
      if (LATE.test(result[0])) result[SCORE] /= 2;
      const place = result[0] + result[2];
      if (!best.has(place) || best.get(place)[SCORE] < result[SCORE]) best.set(place, result);
    }
    // The page shows the last one first.
    return [...best.values()].sort((one, other) => one[SCORE] - other[SCORE]);
  };
})();
