export { openStrength, type Strength, strengthLimits } from './strength.ts';
