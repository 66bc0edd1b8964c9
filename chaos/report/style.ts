/** Style sheet of the report. It follows the light or dark mode of the browser. */
export const style = `
:root { color-scheme: light dark; --ground: #fff; --panel: #f6f8fb; --ink: #1b2430; --soft: #5a6778; --line: #d7dee8;
  --good: #1d7a4c; --good-soft: #e3f4ea; --bad: #b3261e; --bad-soft: #fdeae8; --odd: #8a5a00; --odd-soft: #fdf1d8;
  --accent: #2f6fde; --heat: 47 111 222; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f141b; --panel: #171e28; --ink: #e6ebf2; --soft: #98a5b8;
  --line: #2c3848; --good: #6fd6a0; --good-soft: #12301f; --bad: #ff9187; --bad-soft: #3d1a1a; --odd: #f0c060;
  --odd-soft: #3a2c0d; --accent: #6ea4ff; --heat: 110 164 255; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 28px 64px; max-width: 1400px; background: var(--ground); color: var(--ink);
  font: 14px/1.45 ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
h1 { display: flex; align-items: center; gap: 14px; margin: 0 0 6px; font-size: 22px; }
h2 { margin: 36px 0 10px; font-size: 17px; }
h3 { margin: 22px 0 8px; font-size: 14px; }
p { margin: 6px 0; max-width: 90ch; overflow-wrap: anywhere; }
li { overflow-wrap: anywhere; }
code { font: 12.5px/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.verdict { padding: 3px 14px; border-radius: 8px; font-weight: 700; letter-spacing: .04em; }
.PASS { color: var(--good); background: var(--good-soft); }
.FAIL { color: var(--bad); background: var(--bad-soft); }
.UNKNOWN, .VACUOUS { color: var(--odd); background: var(--odd-soft); }
.facts { display: flex; flex-wrap: wrap; gap: 8px 28px; margin: 14px 0; padding: 12px 16px; border-radius: 10px;
  background: var(--panel); }
.facts div { display: flex; flex-direction: column; }
.facts b { font-size: 16px; font-variant-numeric: tabular-nums; }
.scroll { overflow: auto; max-height: 80vh; max-width: 100%; }
.scroll thead th { position: sticky; top: 0; z-index: 1; background: var(--panel); }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre { margin: 4px 0; padding: 8px 12px; border-radius: 8px; background: var(--panel); overflow: auto; white-space: pre-wrap; }
.cause { margin: 10px 0; padding: 10px 16px; border-left: 4px solid var(--bad); border-radius: 4px; background: var(--bad-soft); }
.cause h3 { margin: 0; color: var(--bad); overflow-wrap: anywhere; }
.cause .soft { color: var(--ink); }
.cause pre { background: var(--ground); }
dt { margin-top: 8px; font-weight: 600; }
dd { margin: 0; max-width: 90ch; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.n, th.n { text-align: right; }
tr.bad td, td.bad { background: var(--bad-soft); }
tr.bad td, td.bad, li.bad { color: var(--bad); }
.scroll .heat thead th { background: var(--ground); }
.heat th.up { height: 118px; padding: 0; vertical-align: bottom; border: 0; }
.heat th.up span { display: block; width: 34px; writing-mode: vertical-rl; transform: rotate(180deg); padding: 4px 9px;
  white-space: nowrap; font-size: 12px; }
.heat td { padding: 3px 0; min-width: 34px; text-align: center; border: 1px solid var(--ground); font-size: 12px; }
.heat th.row { font-weight: 500; color: var(--ink); white-space: nowrap; padding: 3px 12px 3px 0; border: 0; }
.heat td.hole { color: var(--bad); background: var(--bad-soft); font-weight: 700; }
.heat td.none { color: var(--line); }
details { margin: 6px 0; }
summary { cursor: pointer; padding: 4px 0; overflow-wrap: anywhere; }
.inner { margin-left: 14px; }
.lanes { width: 100%; }
.lanes th { white-space: nowrap; }
.lanes td { border-left: 1px dashed var(--line); font-size: 12.5px; min-width: 110px; max-width: 320px;
  overflow-wrap: anywhere; }
.lanes td.at { border-left: 0; min-width: 0; white-space: nowrap; color: var(--soft); }
.lanes .pill { display: inline-block; margin: 1px 0; padding: 0 8px; border-radius: 6px; background: var(--panel); }
.lanes tr.fault td { background: var(--odd-soft); color: var(--odd); }
.lanes tr.broke td { background: var(--bad-soft); color: var(--bad); font-weight: 600; }
.side { display: flex; flex-wrap: wrap; gap: 12px 48px; }
svg.curve { width: 100%; max-width: 720px; height: auto; }
.curve .grid { fill: none; stroke: var(--line); }
.curve .line { fill: none; stroke: var(--accent); stroke-width: 2; }
.curve text { fill: var(--soft); font-size: 11px; }
@media (max-width: 600px) { body { padding: 14px 14px 48px; } .heat th.row { white-space: normal; overflow-wrap: anywhere; } }
`;
