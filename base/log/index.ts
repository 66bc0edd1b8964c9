export { type LogFields, type Logger, silentLogger } from './logger.ts';
export { createPinoLogger } from './pino.ts';
