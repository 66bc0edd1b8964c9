export { NODE_ADDRESS_TYPES, type NodeAgents } from './node-agents.ts';
