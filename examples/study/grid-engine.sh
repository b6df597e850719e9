#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a parameter study on Grid Engine (doc/scale.md): qsub -t 1-64 -v FILE=/shared/sweep.yaml,OUT=/shared/study grid-engine.sh
#$ -N softfeb-sweep
#$ -r y
#$ -cwd
exec "${SOFTFEB:-softfeb}" lab sweep -c "$FILE" --out "$OUT" --existing --task "$SGE_TASK_ID/$SGE_TASK_LAST"
