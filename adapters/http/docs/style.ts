/** The whole style of the reference page; its hash is in the page's content security policy. */
export const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #dfe3e8); --soft: light-dark(#57606a, #9aa4af);
  --line: light-dark(#d8dee4, #333b44); --back: light-dark(#ffffff, #14181d); --block: light-dark(#f4f6f8, #1d232a);
  --link: light-dark(#0550ae, #79b8ff); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line);
  font-size: .875rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; }
nav li { margin: .25rem 0; }
nav a { text-decoration: none; }
main { padding: 1.5rem 2.5rem 6rem; max-width: 60rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--back); padding: .5rem; z-index: 1; }
.tag { margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
h1 small, h4 small, p small { color: var(--soft); font-weight: 400; }
h2 { margin-top: 3rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .25rem; }
h3 a { color: inherit; text-decoration: none; }
h4 { margin: 1.25rem 0 .5rem; }
section:target > h3 { text-decoration: underline; text-underline-offset: .3rem; }
.route, .auth { margin: .25rem 0; }
.auth { color: var(--soft); }
code { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--block); padding: .75rem 1rem; border-radius: .375rem; overflow-x: auto; max-height: 30rem; }
pre code { overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
td b { color: var(--soft); font-weight: 400; font-size: .8125rem; }
td:first-child { width: 32%; }
details, .answer { border-bottom: 1px solid var(--line); padding: .375rem 0; margin: 0; }
summary { cursor: pointer; }
.method, .status { display: inline-block; font: 600 .75rem/1.4 ui-monospace, monospace; padding: 0 .3rem;
  border-radius: .25rem; color: #fff; background: #57606a; }
.get { background: #0550ae; } .post, .s2 { background: #116329; } .put, .patch, .s3 { background: #7d4e00; }
.delete, .s5 { background: #a40e26; } .s4 { background: #7d4e00; }
nav .method { font-size: .625rem; min-width: 2.9rem; text-align: center; }
@media (max-width: 55rem) { body { display: block; } nav { position: static; height: auto; border: 0; }
  main { padding: 1rem; } }
`;
