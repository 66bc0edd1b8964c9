export { type Suggested, fixedFlowSchemas, flowSchemas, priorityLevels } from './defaults.ts';
