export { causesOf } from './campaign-text.ts';
export { type Check, renderJunit, renderSarif } from './checks.ts';
export { renderReport } from './page.ts';
export { type ChaosReport, type ToldFailure, checksOf, smallestFailures } from './report.ts';
export { describeCampaign, describeLive, describeStory } from './terminal.ts';
export { journalOfTrace } from './trace-journal.ts';
