/** Style sheet of the space-time diagram. */
export const diagramStyle = `
.diagram { width: fit-content; border: 1px solid var(--line); border-radius: 10px; }
.names { position: sticky; top: 0; z-index: 1; display: flex; align-items: end; padding: 6px 0; background: var(--panel);
  border-bottom: 1px solid var(--line); font-weight: 600; font-size: 12.5px; }
.names span { flex: none; padding-left: 6px; overflow-wrap: anywhere; line-height: 1.25; }
.names small { display: block; color: var(--soft); font-weight: 400; }
.space-time { display: block; }
.space-time text { font-size: 12px; fill: var(--ink); paint-order: stroke; stroke: var(--ground); stroke-width: 3px; }
.space-time text.clock { fill: var(--soft); text-anchor: end; font-variant-numeric: tabular-nums; }
.space-time text.fault { fill: var(--odd); stroke: none; }
.space-time text.violation { fill: var(--bad); stroke: none; font-weight: 600; }
.space-time .lane { stroke: var(--line); stroke-width: 1.5; }
.space-time .band.fault { fill: var(--odd-soft); }
.space-time .band.violation { fill: var(--bad-soft); }
.space-time .mark { fill: var(--ground); stroke: var(--ink); stroke-width: 1.5; }
.space-time .struck { fill: var(--odd); }
.space-time .message { fill: none; stroke: var(--accent); stroke-width: 1.6; }
.space-time .event { stroke: var(--good); stroke-dasharray: 6 4; }
.space-time .faulty { stroke: var(--odd); }
.space-time .cross { stroke: var(--bad); stroke-width: 2.4; }
.space-time marker path { stroke: none; fill: var(--accent); }
.space-time marker.event path { fill: var(--good); }
.space-time marker.faulty path { fill: var(--odd); }
.key { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0; padding: 0; list-style: none; color: var(--soft);
  font-size: 12.5px; }
.key svg.space-time { display: inline-block; width: 34px; height: 12px; vertical-align: middle; margin-right: 6px; }
.key .box { display: inline-block; width: 22px; height: 12px; margin-right: 6px; border-radius: 3px; vertical-align: middle; }
.key .box.fault { background: var(--odd-soft); border: 1px solid var(--odd); }
.key .box.violation { background: var(--bad-soft); border: 1px solid var(--bad); }
`;
