export {
  type CampaignReport,
  type CampaignSum,
  type CampaignVerdict,
  type SeedResult,
  createCampaignSum,
  runSeed,
  summarize,
} from './campaign.ts';
export { shrink } from './shrink-trace.ts';
export { narrate } from './story.ts';
export { type LoadedSubject, loadSubject } from './subject.ts';
export type { Plan } from './swarm.ts';
export { type Trace, parseTrace } from './trace.ts';
export { runOnWorkers } from './workers.ts';
