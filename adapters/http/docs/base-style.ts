/** What the pages of documents have in common: colours, text, tables, code. */
export const BASE_STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #dfe3e8); --soft: light-dark(#57606a, #9aa4af);
  --line: light-dark(#d8dee4, #333b44); --back: light-dark(#ffffff, #14181d); --block: light-dark(#f4f6f8, #1d232a);
  --link: light-dark(#0550ae, #79b8ff); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
nav { font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li { margin: .25rem 0; }
nav a { text-decoration: none; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5rem; z-index: 1; }
h2 { margin-top: 3rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .25rem; }
h1 a, h2 a, h3 a { color: inherit; text-decoration: none; }
code { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--block); padding: .75rem 1rem; border-radius: .375rem; overflow-x: auto; }
pre code { overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
summary { cursor: pointer; }
input, button, textarea, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: .375rem; padding: .375rem .625rem; }
button { cursor: pointer; }
`;
