/**
 * Style of charts in the page and in SVG files. The colours are variables that the page or the file defines.
 */
export const chartStyle = `
.chart { font: 13px/1.2 ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
.chart .body { fill: var(--state); stroke: var(--state-edge); stroke-width: 1.3; }
.chart .rim { fill: none; stroke: var(--state-edge); stroke-width: 1; }
.chart .compound > .body, .chart .parallel > .body { fill: var(--region); stroke-dasharray: 5 4; }
.chart .name { fill: var(--ink); font-weight: 600; }
.chart .actor { fill: var(--ink-soft); font-size: 11px; }
.chart .label { fill: var(--ink-soft); font-size: 11px; text-anchor: middle; }
.chart .label-ground { fill: var(--ground); }
.chart .edge .line, .chart .beginning path { fill: none; stroke: var(--flow); }
.chart .beginning circle { fill: var(--flow); }
.chart .beginning path { stroke-width: 1.4; }
.chart .reach { fill: none; stroke: transparent; stroke-width: 12; }
.chart .edge.fault .line { stroke: var(--fault); stroke-dasharray: 5 4; }
.chart .edge.idle .line { stroke-dasharray: 1.5 3; }
.chart .head path { fill: var(--flow); }
.chart .head.fault path { fill: var(--fault); }
.chart .state.final > .body { fill: var(--final); }
.chart .state.final.fault > .body { fill: var(--fault-soft); stroke: var(--fault); }
.chart .state.final.fault > .rim { stroke: var(--fault); }
.chart .state.held > .body { stroke: var(--accent); stroke-width: 2; }
.chart .state.fault.held > .body { stroke: var(--fault); }
.chart .badge { fill: var(--accent); }
.chart .state.fault .badge { fill: var(--fault); }
.chart .count { fill: var(--on-accent); font-size: 11.5px; font-weight: 700; text-anchor: middle; }
.chart .marked > .body { fill: var(--mark); stroke: var(--accent); stroke-width: 2.6; }
.chart .edge.marked .line { stroke: var(--accent); }
`;

/** Colours of an SVG file, which is displayed without the page's variables. */
export const fileColours = `
.chart { --ground: #ffffff; --ink: #1b2430; --ink-soft: #5a6778; --state: #f6f8fb; --state-edge: #aab6c6;
  --region: #fafbfd; --final: #e8f5ee; --flow: #8494a8; --fault: #c8453b; --fault-soft: #fdeeec; --accent: #2f6fde;
  --on-accent: #ffffff; --mark: #e3edfc; }
@media (prefers-color-scheme: dark) {
  .chart { --ground: #0f141b; --ink: #e6ebf2; --ink-soft: #98a5b8; --state: #1b2430; --state-edge: #44536a;
    --region: #141b25; --final: #15302a; --flow: #6c7d95; --fault: #f0776c; --fault-soft: #371d1d; --accent: #6ea4ff;
    --on-accent: #0f141b; --mark: #22375c; }
}
.chart > .ground { fill: var(--ground); }
`;
