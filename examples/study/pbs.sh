#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a parameter study on PBS (doc/scale.md): qsub -J 1-64 -v TASKS=64,FILE=/shared/sweep.yaml,OUT=/shared/study pbs.sh
#PBS -N softfeb-sweep
#PBS -r y
exec "${SOFTFEB:-softfeb}" lab sweep -c "$FILE" --out "$OUT" --existing --task "$PBS_ARRAY_INDEX/$TASKS"
